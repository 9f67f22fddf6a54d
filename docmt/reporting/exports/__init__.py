"""The files beside the page of an item that other programs read.

Each item has Parquet, a table has LaTeX and Markdown, and a figure of lines has SVG and PDF.
"""
