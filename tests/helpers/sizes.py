"""Sizes of small models, one table for all tests: settings of a model, to which a test adds its own."""


def _sizes(layers: int, width: int, inner: int, heads: int) -> dict[str, int]:
    return {"encoder_layers": layers, "decoder_layers": layers, "width": width, "inner": inner, "heads": heads}


LEAST = _sizes(1, 8, 8, 2)
"""Where what the model computes plays no part."""
TWO_LAYERS = _sizes(2, 8, 8, 2)
"""As `LEAST`, where layers are told apart."""
TRAINED = _sizes(1, 16, 32, 2)
"""Of trainings that are stopped, compared and counted."""
LEARNING = _sizes(1, 32, 64, 2) | {"norm": "pre", "dropout": 0.0}
"""Of trainings that must learn a task."""
COMPUTED = _sizes(2, 16, 24, 4)
"""Of models whose computations are looked at: no two sizes are the same."""
