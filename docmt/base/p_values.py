"""How p-values are shown: their marks in tables, and the numbers."""

MARKS = {"‡": 0.01, "†": 0.05}
"""Mark and level: a p-value has the first one that it is below."""


def mark(p: float | None) -> str:
    """Empty where p is none (nothing was compared), or not below any level."""
    return next((sign for sign, level in MARKS.items() if p is not None and p < level), "")


def p_value(p: float) -> str:
    """Four decimals, of which something is left: `0.0380`, `< 0.0001`."""
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"
