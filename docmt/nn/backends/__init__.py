"""The ways to compute `docmt.nn.attention.attend`: bucketed (on any device) and varlen (on CUDA)."""
