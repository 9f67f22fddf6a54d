"""The version of docmt; pyproject.toml reads it from this file."""

VERSION = "0.1.0"
