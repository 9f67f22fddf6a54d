"""Corpora: what their files in `workflow/corpora` say, what papers count in them, which files nobody has."""
