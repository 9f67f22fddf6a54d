"""A project's jobs in the words of the schedulers of clusters and of this machine's processes; nothing is changed."""
