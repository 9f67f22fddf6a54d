"""The foundation of every package of docmt: errors, files and tables, checks, processes."""
