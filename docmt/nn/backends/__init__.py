"""The two ways to compute `docmt.nn.attention.attend`: `bucketed` on any device, `varlen` on CUDA."""
