"""Ways to compute `docmt.nn.attention.attend`: bucketed (any device), varlen (CUDA), dense (what tests compare to).

`backward` is for `attend_back`.
"""
