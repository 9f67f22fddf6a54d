"""The plan of the workflow: all systems with all of their settings, their folders, and the settings of each job."""
