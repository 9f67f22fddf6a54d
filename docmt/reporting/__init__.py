"""Stage 8: the page of a study, with published beside measured numbers, and the same numbers as JSON and CSV."""
