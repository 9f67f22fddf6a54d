"""Exports: a corpus as plain files, as Parquet tables, or as a data set of the Hugging Face Hub."""
