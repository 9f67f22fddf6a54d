"""From settings to jobs: studies, systems and what they inherit, folders, the slice that each job is told."""
