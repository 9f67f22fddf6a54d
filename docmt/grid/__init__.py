"""The grid: every system of every study, with all settings, read from config.yaml, the studies and the catalogue."""
