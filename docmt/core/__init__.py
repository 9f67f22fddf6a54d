"""What every stage shares: settings, the grid of systems, documents, vocabularies, artifacts, errors."""
