"""Stage 7: every score of one system's translations, each with the signature that says how it was made."""
