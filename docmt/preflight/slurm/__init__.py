"""Whether Slurm has what a profile asks it for; only commands that read are run (`scontrol show`, `sacctmgr show`)."""
