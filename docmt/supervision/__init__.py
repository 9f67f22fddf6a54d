"""The processes of a job: who may work, how several of them work together, when they stop, and why they ended."""
