"""The command line `docmt`: each command is a short function that calls the Python API or the functions of a stage."""
