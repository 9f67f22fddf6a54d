"""What every part of docmt builds on: errors, files and tables, checks, processes."""
