"""A module for each toolkit, with the same functions: `prepare`, `train` and `decode` take a `peers.job.Job`.

They run in a process of their own, in the environment of the toolkit, which they import when they are called.
"""
