"""The version of docmt, which stands here alone."""

VERSION = "0.1.0"
