"""`docmt list-trainings` of what the workflow has made."""

import json

from helpers.support import docmt


def test_every_training_of_the_demo_is_finished(finished_demo):
    lines = docmt("list-trainings", cwd=finished_demo.root, check=True).stdout.splitlines()
    heading, *rows = [line.split() for line in lines]
    assert heading[:4] == ["system", "corpus", "scale", "seed"]
    records = sorted(finished_demo.root.glob("results/5_training/toy_zh-en/*/seed1/*/record.json"))
    assert [row[0] for row in rows] == [path.parts[-4] for path in records]
    for row, path in zip(rows, records, strict=True):
        updates = json.loads(path.read_text())["updates"]
        assert row[1:8] == ["toy_zh-en", "smoke", "1", path.parts[-2], str(updates), "/", str(updates)]
        assert row[-1] == "finished"
