"""The commands of `docmt job`: what the rules of the workflow call, with the settings.json of a job."""
