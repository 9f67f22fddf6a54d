"""The forms of DiscEvalMT, ContraPro and of our own table."""

import json

import pytest
from helpers.contrastive_sets import ANAPHORA, DOCUMENT, LEXICAL_CHOICE, PRONOUNS, TABLE, write_document, write_sets
from helpers.reader_files import items_of, refusal

from docmt.corpus.forms.contrastive_table import table_text
from docmt.corpus.inputs import CollectedProblems, ContrastiveItem, ReaderInputs

SETS = {
    "discevalmt": {"a": "anaphora.json", "l": "lexical_choice.json"},
    "contrapro": {"p": "contrapro.json"},
    "contrastive_table": {"t": "table.tsv"},
}


@pytest.fixture
def sets(tmp_path):
    return write_sets(tmp_path)


def inputs_of(folder) -> ReaderInputs:
    return ReaderInputs(folder, folder / "scratch", "en", "de")


def reader(kind, **options) -> dict:
    return {"kind": kind, "sets": SETS[kind], **options}


def items(folder, kind, **options) -> list[ContrastiveItem]:
    return items_of(inputs_of(folder), reader(kind, **options))


def test_discevalmt(sets):
    all_items = items(sets, "discevalmt")
    names = ["f.sg/correct", "m.sg/correct", "f.sg/semi-correct", "m.sg/semi-correct", "correct"]
    assert [item.set for item in all_items] == [*(f"a/{name}" for name in names), "l/disambig", "l/disambig"]
    assert {(item.distance, item.correct) for item in all_items} == {(1, 0)}
    first, last = all_items[0], all_items[-1]
    assert first.source == ("the lamp is new .", "it is red .")
    assert (first.target_context, first.variants) == (("la lampe est neuve .",), ("elle est rouge .", "il est rouge ."))
    assert (last.source[0], last.target_context, last.variants[0]) == ("he pays .", ("il paie .",), "la banque !")


def test_contrapro(sets):
    first, second, third = items(sets, "contrapro")
    assert (first.set, first.distance, first.correct) == ("p/it:sie", 1, 0)
    assert first.variants == ("sie ist rot .", "es ist rot .", "er ist rot .")
    # Two sentences of context and not three: the line before them has an empty side.
    assert first.source == ("a dog runs .", 'the lamp is "new" .', "it is red .")
    assert first.target_context == ("ein Hund rennt .", "die Lampe ist »neu« .")
    assert (second.set, second.distance, len(second.source)) == ("p/it:er", 3, 4)
    assert second.variants == ("er ist alt .", "sie ist alt .", "es ist alt .")
    assert (third.source, third.target_context, third.distance) == (("hello .",), (), 0)


def test_contrapro_with_other_context_lines_and_paths(sets):
    (sets / "documents").rename(sets / "texts")
    folder = {"documents": str(sets / "texts" / "{year}" / "{document}.{language}")}
    assert [len(item.source) for item in items(sets, "contrapro", context_sentences=1, **folder)] == [2, 2, 1]
    french = [{**record, "segment id": record["segment id"] - 1, "errors": record["errors"][0]} for record in PRONOUNS]
    (sets / "contrapro.json").write_text(json.dumps(french))
    first, *_ = items(sets, "contrapro", first_segment=0, context_sentences=0, **folder)
    assert (first.source, first.variants) == (("it is red .",), ("sie ist rot .", "es ist rot ."))


def test_a_source_in_another_spelling_is_its_line_and_is_counted(sets):
    """White space, case and punctuation are not looked at; other letters may differ a little."""
    records = [
        changed(PRONOUNS[0], **{"src segment": text}) for text in ("It is « red ».", "It's red.", "It is redd .")
    ]
    (sets / "contrapro.json").write_text(json.dumps(records))
    inputs = inputs_of(sets)
    assert [item.source[-1] for item in items_of(inputs, reader("contrapro"))] == [
        record["src segment"] for record in records
    ]
    assert inputs.changed == {"sources that are not quite their document's line": 2}


def test_the_table(sets):
    first, second, third = items(sets, "contrastive_table")
    assert (first.set, first.distance, first.correct) == ("t/polite", 2, 0)
    assert (first.source, first.target_context) == (("you", "here", "you !"), ("вы", "тут"))
    assert (second.variants, second.correct) == (("вы !", "ты !", "мы !"), 1)
    assert (third.set, third.distance, third.source, third.target_context) == ("t/name", 0, ("Sam !",), ())


def test_a_table_needs_no_set_and_no_distance(sets):
    rows = [line.split("\t") for line in TABLE.splitlines()[:3]]
    (sets / "table.tsv").write_text("".join("\t".join((row[0], *row[3:])) + "\n" for row in rows), encoding="utf-8")
    (item,) = items(sets, "contrastive_table")
    assert (item.set, item.distance) == ("t", 0)


@pytest.mark.parametrize("text", ["=1+1", "- yes", "'- yes", "'tis", "@sum", "-5", '"=1"'])
def test_texts_that_look_like_formulas_come_back(sets, text):
    item = ContrastiveItem("part", 1, (text, text), (text,), (text, "other"), 0)
    table = table_text([("part", item)])
    assert "\t=" not in table and "\t@" not in table
    (sets / "table.tsv").write_text(table, encoding="utf-8")
    (again,) = items(sets, "contrastive_table")
    assert (again.source, again.target_context, again.variants) == (item.source, item.target_context, item.variants)


def changed(record: dict, **fields: object) -> dict:
    return {name: value for name, value in {**record, **fields}.items() if value is not None}


BLOCK, EXAMPLE, PRONOUN = ANAPHORA["2"], LEXICAL_CHOICE["1"]["examples"][0], PRONOUNS[0]


@pytest.mark.parametrize(
    ("file", "value", "message"),
    [
        ("anaphora", [], "anaphora.json: not a contrastive set\n  found list; expected an object of items"),
        ("anaphora", {"7": changed(BLOCK, trg=None)}, "block 7: not a block of items\n  found src; expected 'trg' or"),
        ("anaphora", {"7": "x"}, "block 7: not a block of items\n  found str; expected 'trg' or"),
        (
            "anaphora",
            {"7": changed(BLOCK, trg=["x"])},
            "block 7, item 1: not a contrastive item\n  found str; expected an object with correct and incorrect",
        ),
        (
            "anaphora",
            {"7": changed(BLOCK, src=[])},
            "block 7, item 1: not a contrastive item\n  found []; expected 'src', a list of texts",
        ),
        (
            "anaphora",
            {"7": changed(BLOCK, src=["one"])},
            "translation has a different number of sentences than the source\n  found 1 source and 2 target",
        ),
        (
            "lexical_choice",
            {"7": {"examples": [{**EXAMPLE, "trg": {**EXAMPLE["trg"], "incorrect": ["x", "y"]}}]}},
            "block 7, item 1: translations differ before the last sentence",
        ),
        ("contrapro", {}, "contrapro.json: not a contrastive set\n  found dict; expected a list of items"),
        ("contrapro", ["x"], "contrapro.json, item 1: not a contrastive item\n  found str"),
        (
            "contrapro",
            [changed(PRONOUN, **{"segment id": 60})],
            "source differs from its line of the document\n  found 6 lines",
        ),
        (
            "contrapro",
            [changed(PRONOUN, **{"segment id": 6})],
            "source differs from its line of the document\n  found 'it is old .'; expected 'it is red .'",
        ),
        ("contrapro", [changed(PRONOUN, **{"document id": "1999_9.de"})], "documents/1999/1999_9.en: file not found"),
    ],
)
def test_what_is_no_such_set_is_refused(sets, file, value, message):
    (sets / f"{file}.json").write_text(json.dumps(value))
    assert message in refusal(inputs_of(sets), reader("contrapro" if file == "contrapro" else "discevalmt"))


def test_documents_of_unequal_length_are_refused(sets):
    write_document(sets, DOCUMENT)
    with (sets / "documents" / "1999" / "1999_1_2.en").open("a") as stream:
        stream.write("one more .\n")
    message = "different numbers of lines\n  found 7 lines; expected 6 lines"
    assert message in refusal(inputs_of(sets), reader("contrapro"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("item\t", "thing\t", "table.tsv:1: columns are missing\n  found thing, set"),
        (
            "вы !\t1",
            "вы !",
            "table.tsv:2: row has more or fewer columns than the header\n  found 5 columns; expected 6",
        ),
        ("вы !\t1", "вы !\tyes", "table.tsv:2: not the variants of an item\n  found correct: yes, 0"),
        ("ты !\t1", "ты !\t0", "table.tsv:4: not the variants of an item\n  found correct: 0, 0, 0"),
        ("a\tname\t\tSam !\tСам !\t0\n", "", "table.tsv:7: not the variants of an item"),
        (
            "polite\t1\tyou _eos you !\tты _eos вы",
            "polite\t1\tyou _eos me !\tты _eos вы",
            "differ in source or distance",
        ),
        ("name\t", "name\tfar", "table.tsv:7: not a distance\n  found far; expected a whole number"),
        ("вы _eos тут _eos ты", "ты _eos тут _eos ты", "translations differ before the last sentence"),
    ],
)
def test_what_is_no_such_table_is_refused(sets, old, new, message):
    text = TABLE.replace(old, new) if new else TABLE.replace(old, "")
    (sets / "table.tsv").write_text(text, encoding="utf-8")
    assert message in refusal(inputs_of(sets), reader("contrastive_table"))


def test_a_mistake_in_an_item_is_reported_and_the_next_item_read(sets):
    """`docmt check-corpus` shows the mistakes of all items."""
    other = changed(PRONOUN, **{"segment id": 60})
    (sets / "contrapro.json").write_text(json.dumps([other, "x", PRONOUN, other]))
    inputs = inputs_of(sets)
    inputs.problems = CollectedProblems(at_most=1)
    assert [item.set for item in items_of(inputs, reader("contrapro"))] == ["p/it:sie"]
    counts = {what: kind.count for what, kind in inputs.problems.problems.items()}
    assert counts == {"source differs from its line of the document": 2, "not a contrastive item": 1}
