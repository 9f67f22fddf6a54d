"""Exports of trained models: folders that CTranslate2 and the libraries of Hugging Face read.

An export is a new folder with the model, its text and a program that loads it. `docmt.api.export_model` opens the model
and calls this package.
"""
