"""The kinds of tables, figures and passages of a study: a module each, with the template of the same name beside it.

A kind is a subclass of `TableConfig`, `FigureConfig` or `PassageConfig` with its own value of `kind`, the name of its
file. Its fields are what a study states; its methods check them, say what is read, and fill what a page shows.
"""
