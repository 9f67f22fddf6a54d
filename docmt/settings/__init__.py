"""What jobs are told: a file for each section of a system, and for how scores are computed."""
