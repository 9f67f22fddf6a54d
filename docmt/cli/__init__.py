"""The command `docmt`: one module a stage, each command a thin shell around the stage's functions."""
