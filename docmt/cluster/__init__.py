"""What the schedulers of clusters, and the processes of this machine, say of a project's jobs; nothing is changed."""
