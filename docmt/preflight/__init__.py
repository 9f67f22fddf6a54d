"""Checks before a run of what would go wrong in it: `docmt preflight`.

Each module checks one area and yields findings, so that one call names everything that is wrong. Nothing is computed,
downloaded or submitted.
"""
