"""YAML files: aliases are fine where they end, texts that look like numbers are texts, and lines are known."""

import pytest

from docmt.base.errors import UserError
from docmt.base.yaml_files import MOST_VALUES, load_text, load_yaml


def test_aliases_and_merged_keys_mean_what_yaml_says():
    assert load_text("base: &b {x: 1}\nc: {<<: *b, y: 2}\nd: [*b, *b]", "here") == {
        "base": {"x": 1},
        "c": {"x": 1, "y": 2},
        "d": [{"x": 1}, {"x": 1}],
    }


@pytest.mark.parametrize("value", ["0", "0.5", "10", "-1", "1e3", "'010'", "0x1F", "a:b", "'1:30'"])
def test_what_means_what_it_looks_like_is_left(value):
    load_text(f"a: {value}", "here")


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert load_yaml(tmp_path / "a.yaml")[0] == {"a": 1}


def test_a_key_knows_its_line(tmp_path):
    (tmp_path / "a.yaml").write_text("a: 1\nb:\n  - 1\n  - c: 2\n", encoding="utf-8")
    _, lines = load_yaml(tmp_path / "a.yaml")
    assert lines.place(("b", 1, "c")) == f"{tmp_path}/a.yaml:4 b.1.c"
    assert lines.place(("b", "none")) == f"{tmp_path}/a.yaml:2 b.none"


def test_many_values_are_fine():
    assert len(load_text("a: [" + "1," * (MOST_VALUES // 50) + "1]", "here")["a"]) == MOST_VALUES // 50 + 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\na: 2\n", "a.yaml:2 a: key given twice"),
        (b"a: [1\nb: 2\n", "not valid YAML"),
        (b"? [1]\n: 2\n", "a.yaml:1: not valid YAML"),
        (b"a: \xff\xfe\n", "cannot be read"),
        (None, "file not found"),
    ],
)
def test_unreadable(tmp_path, content, message):
    file = tmp_path / "a.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UserError) as refused:
        load_yaml(file)
    assert message in str(refused.value)
