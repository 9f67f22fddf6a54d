"""Ways to compute `docmt.nn.attention.attend`: bucketed (any device), varlen (CUDA)."""
