"""The catalogue of corpora: the schema of `workflow/corpora`, published counts, and missing files."""
