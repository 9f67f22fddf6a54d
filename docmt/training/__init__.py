"""Stage 5: batches, losses, schedules, checkpoints, and the loop over updates."""
