"""Stage 5: batches, losses, optimiser, validations, checkpoints, and the loop over updates."""
