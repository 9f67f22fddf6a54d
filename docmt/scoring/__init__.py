"""Stage 7: the scores of a system's translations, each with a signature that states how it was computed."""
