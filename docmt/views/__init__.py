"""Stage 3: how documents are cut into the segments that models see."""
