"""The commands of `docmt store`, on the place where teams share artifacts."""
