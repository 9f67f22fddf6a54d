"""Stage 6: translations by sentence, window and document, and forced scores of given translations."""
