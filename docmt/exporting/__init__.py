"""Trained models for other programs: a folder that the library transformers reads, and CTranslate2 as an engine.

An export is a new folder with the model, its text and a file that loads it. `docmt.api.export_model` opens the model
and calls this package.
"""
