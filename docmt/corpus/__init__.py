"""Stage 1: downloads, readers and generators, all to one form: documents.parquet and card.json."""
