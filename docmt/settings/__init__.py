"""The schemas of settings: a module for each section of a system, and one for scoring."""
