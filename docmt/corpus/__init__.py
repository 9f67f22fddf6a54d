"""Stage 1: downloads, readers and generators that turn any corpus into documents.parquet and card.json."""
