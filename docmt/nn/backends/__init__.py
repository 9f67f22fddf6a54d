"""Ways to compute `docmt.nn.attention.attend`: bucketed (any device), varlen (CUDA).

`weights` is for `attend_back`, and for looking at weights.
"""
