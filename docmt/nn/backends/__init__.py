"""Ways to compute `docmt.nn.attention.attend`: bucketed (any device), varlen (CUDA), dense (what tests compare to).

`weights` is for `attend_back`, and for looking at weights.
"""
