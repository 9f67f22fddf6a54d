"""Small contrastive sets in the forms of their authors; the sentences are our own."""

import json
from pathlib import Path


def pair(right: str, wrong: str, context: str, key: str = "correct", **more: str) -> dict:
    return {key: [context, right], "incorrect": [context, wrong], **more}


ANAPHORA = {
    "1": {
        "inspired by": ["a", "b"],
        "src": ["the lamp is new .", "it is red ."],
        "trg": [
            pair("elle est rouge .", "il est rouge .", "la lampe est neuve .", type="f.sg"),
            pair("il est rouge .", "elle est rouge .", "le lustre est neuf .", type="m.sg"),
            pair("elle est rouge .", "il est rouge .", "la table est neuve .", "semi-correct", type="f.sg"),
            pair("il est rouge .", "elle est rouge .", "le banc est neuf .", "semi-correct", type="m.sg"),
        ],
    },
    "2": {
        "src": ["my keys !", "they are here ."],
        "trg": [pair("elles sont là .", "ils sont là .", "mes clefs !")],
    },
}
LEXICAL_CHOICE = {
    "1": {
        "type": "disambig",
        "examples": [
            {"src": ["he swims .", "the bank !"], "trg": pair("la rive !", "la banque !", "il nage .")},
            {"src": ["he pays .", "the bank !"], "trg": pair("la banque !", "la rive !", "il paie .")},
        ],
    }
}
DOCUMENT = [
    ("hello .", "hallo ."),
    ("", "ja ."),
    ("a dog runs .", "ein Hund rennt ."),
    ('the lamp is "new" .', "die Lampe ist »neu« ."),
    ("it is red .", "sie ist rot ."),
    ("it is old .", "er ist alt ."),
]
"""Source and target of `1999_1_2`; the second line has no source."""


def pronoun(line: int, right: str, reference: str, wrong: list[str], distance: int | None = 1) -> dict:
    return {
        "document id": "1999_1_2.de",
        "segment id": line,
        "src segment": DOCUMENT[line - 1][0].replace('"', "'"),
        "ref segment": reference,
        "src pronoun": "It",
        "ref pronoun": right,
        "ante distance": distance,
        "intrasegmental": False,
        "errors": [{"contrastive": text, "replacement": "x", "type": "pronominal coreference"} for text in wrong],
    }


PRONOUNS = [
    pronoun(5, "sie", "sie ist rot .", ["es ist rot .", "er ist rot ."]),
    pronoun(6, "Er", "er ist alt .", ["sie ist alt .", "es ist alt .", "sie ist alt ."], 3),
    pronoun(1, "er", "hallo .", ["holla ."], None),
]
PAIRED = "you . _eos you !"
VOITA = [
    {"src": PAIRED, "dst": ["вы . _eos вы !", "вы . _eos ты !", "вы . _eos ты !"], "true_ind": 0, "ctx_dist": 1},
    {"src": PAIRED, "dst": ["ты . _eos ты !", "ты . _eos вы !"], "true_ind": 0, "ctx_dist": 3},
    {"src": PAIRED, "dst": ["ты . _eos мы !", "ты . _eos вы\u0085!"], "true_ind": 1, "ctx_dist": 3},
    {"src": "Sam _eos Sam !", "dst": ["Сэм _eos Сэм !", "Сэм _eos Сам !"], "true_ind": 0, "ctx_dist": 2},
]
"""The third translation of the first instance is its second; one has a control character."""
TABLE = """item\tset\tdistance\tsource\ttarget\tcorrect
a\tpolite\t2\tyou _eos here _eos you !\tвы _eos тут _eos вы !\t1
a\tpolite\t2\tyou _eos here _eos you !\tвы _eos тут _eos ты !\t0
b\tpolite\t1\tyou _eos you !\tты _eos вы !\t0
b\tpolite\t1\tyou _eos you !\tты _eos ты !\t1
b\tpolite\t1\tyou _eos you !\tты _eos мы !\t0
a\tname\t\tSam !\tСэм !\t1
a\tname\t\tSam !\tСам !\t0
"""


def write_sets(folder: Path) -> Path:
    """anaphora.json, lexical_choice.json, contrapro.json with its document, deixis.json, table.tsv."""
    values = {"anaphora": ANAPHORA, "lexical_choice": LEXICAL_CHOICE, "contrapro": PRONOUNS, "deixis": VOITA}
    for name, value in values.items():
        (folder / f"{name}.json").write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    write_document(folder, DOCUMENT)
    (folder / "table.tsv").write_text(TABLE, encoding="utf-8")
    return folder


def write_document(folder: Path, pairs: list[tuple[str, str]]) -> None:
    (folder / "documents" / "1999").mkdir(parents=True, exist_ok=True)
    for language, lines in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
        text = "".join(f"{line}\n" for line in lines)
        (folder / "documents" / "1999" / f"1999_1_2.{language}").write_text(text, encoding="utf-8")
