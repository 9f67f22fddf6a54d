"""Stage 3: documents are cut into the segments that models read."""
