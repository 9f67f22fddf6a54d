"""Stage 6 for external systems: translations that other programs, services or people have made."""
