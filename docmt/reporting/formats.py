"""Formats of values on the page, which are filters of the templates. A missing number is a dash."""

from typing import Any

from docmt.base.names import SPLITS
from docmt.base.screen import duration

NONE = "–"  # The text of a missing number.

# The marks of p-values with their levels; a p-value has the first mark whose level is above the p-value.
MARKS = {"‡": 0.01, "†": 0.05}


def number(value: float | None, decimals: int = 2) -> str:
    """Return a number rounded to `decimals` decimals; a dash for None."""
    return NONE if value is None else f"{value:.{decimals}f}"


def printed(value: float, decimals: int = 2) -> str:
    """Return a published number: a whole number as it is, such as 41 (percent), others rounded to `decimals`."""
    return (str(value) if isinstance(value, int) else number(value, decimals)).replace("-", "−")


def counted(value: float) -> str:
    """Return a count as a whole number, or a mean of counts rounded to two decimals."""
    return whole(value) if float(value).is_integer() else number(value)


def signed(value: float | None, decimals: int = 2) -> str:
    """Return a number with + or a true minus sign; a number that is rounded to zero has no sign."""
    if value is None:
        return NONE
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def whole(value: float | None) -> str:
    """Return a number rounded to a whole number, with narrow no-break spaces between groups of three digits."""
    return NONE if value is None else f"{value:,.0f}".replace(",", "\u202f")


def plain(value: Any) -> str:
    """Return the value of a setting, or a fact, as a text; None and an empty text are `none`."""
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
    """Return (columns, rows) of several mappings with the same keys, such as counts by split; else None."""
    if not isinstance(value, dict) or len(value) < 2 or not all(isinstance(item, dict) for item in value.values()):
        return None
    rows = {key: flatten(item, " ") for key, item in value.items()}
    columns = [list(row) for row in rows.values()]
    if not columns[0] or any(names != columns[0] for names in columns):
        return None
    # The keys of JSON files are in alphabetical order.
    order = [split for split in SPLITS if split in rows] + [key for key in rows if key not in SPLITS]
    return columns[0], [(key, list(rows[key].values())) for key in order]


def flatten(value: dict[str, Any], between: str = ".", before: str = "") -> dict[str, Any]:
    """Return the values of nested mappings in a single mapping with joined keys: `{"train.lr": 1e-3, ...}`.

    `between`: the text between two joined keys. `before`: the text at the start of all keys.
    """
    flat: dict[str, Any] = {}
    for key, item in value.items():
        nested = isinstance(item, dict)
        flat |= flatten(item, between, f"{before}{key}{between}") if nested else {f"{before}{key}": item}
    return flat


def mark(p: float | None, difference: float | None, decimals: int = 2) -> str:
    """Return the mark of the p-value of a difference; empty where nothing was tested, and without significance."""
    # A mark would give a difference that is printed as zero a meaning that its number does not have.
    if p is None or difference is None or round(difference, decimals) == 0:
        return ""
    return next((sign for sign, level in MARKS.items() if p < level), "")


def p_value(p: float | None) -> str:
    """Return a p-value with four decimals, such as `0.0380`, or the text `< 0.0001`; a dash for None."""
    if p is None:
        return NONE
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


# The filters of the templates, by their names in them.
FILTERS = {
    **{f.__name__: f for f in (number, printed, counted, signed, whole, plain, matrix, p_value)},
    "duration": lambda seconds: NONE if seconds is None else duration(seconds),
}
