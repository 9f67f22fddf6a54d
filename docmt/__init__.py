"""docmt: document-level machine translation experiments, from raw text to the papers' tables."""

__version__ = "0.1.0"
