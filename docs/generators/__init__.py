"""Generators of pages: each module writes one page of the documentation, from the code that the page is about."""
