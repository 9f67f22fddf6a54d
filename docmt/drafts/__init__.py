"""Drafts of corpus files: what `docmt add-corpus` writes for a corpus of OPUS or of sacreBLEU, or for a user's file.

A module for each place where corpora are. Its function `draft` turns an address into the files, readers and facts of a
corpus; `corpus_file.py` puts the drafts of a corpus' splits together.
"""
