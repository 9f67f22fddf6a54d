"""The files beside the page of an item that other programs read: Parquet of each, LaTeX and Markdown of tables."""
