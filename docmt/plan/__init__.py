"""The plan of a workflow: studies, systems with what they inherit, folders, and the settings of each job."""
