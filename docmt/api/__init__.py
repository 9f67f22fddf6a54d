"""The Python API: functions that use several stages at once, for notebooks and for the command line."""
