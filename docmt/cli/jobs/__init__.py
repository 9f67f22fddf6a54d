"""The commands of `docmt job`, which the rules of the workflow call, most of them with the settings.json of a job."""
