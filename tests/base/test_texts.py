"""Text of users: UTF-8, a byte order mark is none of its characters."""

import pytest

from docmt.base.artifacts import (
    decoded,
    read_json,
    read_json_lines,
    read_lines,
    read_object,
    read_object_if_there,
    read_text,
)
from docmt.base.errors import UserError

MARK = "\ufeff"


def test_a_byte_order_mark_is_removed_at_the_beginning_alone(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(f"{MARK}a\n{MARK}b\n", encoding="utf-8")
    assert read_text(path) == f"a\n{MARK}b\n"
    assert read_lines(path) == ["a", f"{MARK}b"]
    path.write_text(f'{MARK}{{"a": 1}}', encoding="utf-8")
    assert read_json(path) == {"a": 1}


@pytest.mark.parametrize(
    "text, lines", [("", []), ("\n", [""]), ("a", ["a"]), ("a\u2028b\r\nc\n", ["a\u2028b\r", "c"])]
)
def test_lines_end_at_line_feeds(tmp_path, text, lines):
    (tmp_path / "a").write_bytes(text.encode())
    assert read_lines(tmp_path / "a") == lines


@pytest.mark.parametrize(
    ("data", "place"), [(b"\xff", "a:1: "), (b"ab\n\xe4c", "a:2: "), ("中\n中".encode() + b"\xc3", "a:2: ")]
)
def test_what_is_not_utf8_is_refused_by_line(data, place):
    with pytest.raises(UserError) as problem:
        decoded(data, "a")
    assert str(problem.value).startswith(f"{place}not valid UTF-8\n  found byte 0x")


def test_the_column_counts_bytes_from_one():
    with pytest.raises(UserError, match="byte 0xff at column 3"):
        decoded(b"first\nab\xff", "a")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "the JSON is not an object\n  found list [1]; expected an object with a, b"),
        ("null", "the JSON is not an object\n  found NoneType null"),
        ('{"a": 1}', "keys are missing\n  found no b; expected an object with a, b"),
        ("{", "not a JSON file\n  found "),
        ("[" * 100_000, "not a JSON file\n  found "),
        ("9" * 5000, "not a JSON file\n  found "),
    ],
)
def test_json_of_another_shape_is_refused(tmp_path, content, message):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(UserError) as problem:
        read_object(tmp_path / "a.json", "a", "b")
    assert str(problem.value).startswith(f"{tmp_path}/a.json: {message}")
    assert read_object_if_there(tmp_path / "b.json", "a") is None


def test_lines_of_json(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n{"a"')
    assert read_json_lines(path, "a", growing=True) == [{"a": 1}, {"a": 2}]
    with pytest.raises(UserError, match=r"a\.jsonl:3: not a JSON line"):
        read_json_lines(path, "a")
    path.write_text('{"a": 1}\n{"b": 2}\n')
    with pytest.raises(UserError, match=r"a\.jsonl:2: keys are missing"):
        read_json_lines(path, "a")


def test_what_a_terminal_would_act_on_is_shown_as_escapes():
    assert str(UserError("bad", where="a\x1b[31m", found="b\x00\r中")) == "a\\x1b[31m: bad\n  found b\\x00\\r中"
