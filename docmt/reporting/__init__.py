"""Stage 8: a study's page, with published beside measured, and the same as JSON and CSV."""
