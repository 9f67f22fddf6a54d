"""The page of signatures and identities is carried out on the finished demo, and its signatures are real ones."""

import json
import re

from helpers.how_to import carry_out_with_forks
from helpers.support import ROOT

from docmt.base.scores import read_scores

PAGE = (ROOT / "docs/reference/signatures.md").read_text(encoding="utf-8")


def test_the_page_says_what_a_change_of_decoding_costs(demo):
    carry_out_with_forks(PAGE, demo)


def test_the_page_has_the_parts_of_every_signature_of_the_demo(finished_demo):
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", PAGE, re.MULTILINE)
    names = set(re.findall(r"([a-z-]+):", PAGE)) | {name for row in rows for name in re.findall(r"\w+", row)}
    files = [*(finished_demo.root / "results").glob("7_scores/**/scores.parquet")]
    scores = [score for path in files for score in read_scores(path)]
    texts = {text for score in scores for text in (score.signature, score.interval or "")}
    parts = {part.partition(":")[0] for text in texts for part in text.split("|") if ":" in part}
    assert len(parts) > 20 and parts <= names


def test_the_identity_is_that_of_the_recipe_and_begins_with_the_name_of_the_folder(finished_demo):
    checked = 0
    for path in (finished_demo.root / "results").glob("7_scores/*/*/*/*/manifest.json"):
        recipe = json.loads(path.with_name("job.json").read_text("utf-8"))
        identity = json.loads(path.read_text("utf-8"))["identity"]
        assert identity == recipe["identity"] and identity.startswith(path.parent.name)
        checked += 1
    assert checked > 5
