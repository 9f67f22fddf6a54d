"""The program that translates with an exported model and without docmt: `docmt.exporting.ct2_folder` copies its files.

The modules here import nothing of docmt. They find the copies of `docmt/text/moses.py`, `docmt/text/chinese.py`,
`docmt/text/reversible.py`, `docmt/text/sentencepieces.py`, `docmt/text/truecase.py` and `docmt/decoding/batches.py`
beside them.
"""
