"""Provenance: a target as an RO-Crate, and the comparison of a target that was made again elsewhere."""
