"""How values are written on the page; none is a dash everywhere."""

from typing import Any

from docmt.base.names import SPLITS

NONE = "–"

MARKS = {"‡": 0.01, "†": 0.05}
"""Mark and level: a p-value has the first one that it is below."""


def number(value: float | None, decimals: int = 2) -> str:
    return NONE if value is None else f"{value:.{decimals}f}"


def printed(value: float, decimals: int = 2) -> str:
    """A published number: whole ones as they stand, such as 41 (percent), others with the metric's decimals."""
    return (str(value) if isinstance(value, int) else number(value, decimals)).replace("-", "−")


def counted(value: float) -> str:
    """A count, or a mean of counts."""
    return whole(value) if float(value).is_integer() else number(value)


def signed(value: float | None, decimals: int = 2) -> str:
    """With its sign, a true minus; no sign before what rounds to zero."""
    if value is None:
        return NONE
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def whole(value: float | None) -> str:
    """Thousands parted by narrow blanks that do not break."""
    return NONE if value is None else f"{value:,.0f}".replace(",", "\u202f")


def duration(seconds: float | None) -> str:
    """`48 s`, `12 min 05 s`, `3 h 20 min`."""
    if seconds is None:
        return NONE
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s" if seconds >= 10 else f"{seconds:.1f} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def plain(value: Any) -> str:
    """A setting or a fact of unknown kind."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return whole(value) if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def matrix(value: Any) -> tuple[list[str], list[tuple[str, list[Any]]]] | None:
    """(columns, rows) of several mappings with the same keys, such as counts by split; none for anything else.

    JSON files have their keys in the order of the alphabet: splits come back in that of their use.
    """
    if not isinstance(value, dict) or len(value) < 2 or not all(isinstance(item, dict) for item in value.values()):
        return None
    rows = {key: flatten(item, " ") for key, item in value.items()}
    columns = [list(row) for row in rows.values()]
    if not columns[0] or any(names != columns[0] for names in columns):
        return None
    order = [split for split in SPLITS if split in rows] + [key for key in rows if key not in SPLITS]
    return columns[0], [(key, list(rows[key].values())) for key in order]


def flatten(value: dict[str, Any], between: str = ".", before: str = "") -> dict[str, Any]:
    """Nested keys as one: `{"train.lr": 1e-3, ...}`."""
    flat: dict[str, Any] = {}
    for key, item in value.items():
        nested = isinstance(item, dict)
        flat |= flatten(item, between, f"{before}{key}{between}") if nested else {f"{before}{key}": item}
    return flat


def mark(p: float | None) -> str:
    """Empty where p is none (nothing was compared), or not below any level."""
    return next((sign for sign, level in MARKS.items() if p is not None and p < level), "")


def p_value(p: float) -> str:
    """Four decimals, of which something is left: `0.0380`, `< 0.0001`."""
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


FILTERS = {f.__name__: f for f in (number, printed, counted, signed, whole, duration, plain, matrix, p_value)}
"""By the names that templates have for them."""
