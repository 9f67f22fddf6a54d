"""Checks of Slurm against a profile; only commands that read are run (`scontrol show`, `sacctmgr show`, `sacct`)."""
