"""A store of artifacts that teams share: what a job has made anywhere, found by its identity."""
