"""The comparison with other toolkits, but for the toolkits: its arithmetic, its records and its page."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.support import ROOT
from peers.corpus import DOCUMENT, DOCUMENTS, translation, write_corpus
from peers.environments import Environments
from peers.job import TINY, Job
from peers.lines import GROUPS
from peers.measuring import JobFailed, Measurement, Pair, busy_seconds, foreign_load
from peers.page import page
from peers.records import Record, Records
from peers.summary import median_interval, ratios, undisturbed
from peers.toolkits.fairseq import batches


def pair(ours: float, peer: float, foreign: float = 0.0, memory: float = 500.0) -> Pair:
    """Two measurements of one second each, by both clocks twice as long for the peer."""
    return Pair(Measurement(int(ours), 1.0, 1.0, memory), Measurement(int(peer), 1.0, 2.0, 400.0), foreign)


def record(name: str, pairs: list[Pair], threads: int = 1, **more) -> Record:
    facts = {"date": "2026-11-26", "commit": "abc1234", "hardware": "a processor, 2 cores", "versions": {"torch": "2"}}
    return Record(**{"name": name, "threads": threads, "pairs": pairs, "floor": 4000.0, "equal": None, **facts, **more})


def written(*records: Record, skipped: dict | None = None, failed: dict | None = None) -> str:
    every = Records({r.key: r for r in records}, skipped or {}, failed or {})
    return page(every, limit=0.25, needed=7)


def row_of(text: str, name: str) -> list[str]:
    [line] = [line for line in text.splitlines() if line.startswith("|") and f"(`{name}`)" in line]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_interval_of_seven_values_is_their_range_and_of_many_it_is_narrower():
    """By the binomial distribution, 7 values have the median between their ends with 1 - 2 / 2^7, 5 only with 0.94."""
    seven = median_interval([1.0, 2, 3, 4, 5, 6, 7])
    assert (seven.median, seven.low, seven.high, seven.covers) == (4, 1, 7, 0.95)
    many = median_interval(list(range(101)))
    assert many.median == 50 and 35 < many.low < 45 and 55 < many.high < 65


def test_the_interval_covers_the_median_as_often_as_it_says():
    draws = np.random.default_rng(0).exponential(size=(300, 9))
    covered = [interval.low <= np.log(2) <= interval.high for interval in map(median_interval, draws)]
    assert np.mean(covered) > 0.93


def test_a_measurement_begins_where_the_warm_up_ends():
    marks = [[100, 10.0, 20.0], [70, 11.0, 22.0], [80, 13.0, 23.0], [90, 16.0, 28.0]]
    measured = Measurement.of_marks(marks, 512.0, warm_up=2)
    assert (measured.words, measured.processor_s, measured.clock_s) == (170, 5.0, 6.0)
    assert measured.rate("processor") == 34


def test_the_load_of_others_is_all_that_is_busy_less_what_is_ours():
    before, after = "cpu  100 0 50 900 7 1 2 3 0 0\ncpu0 1", "cpu  300 10 100 950 9 2 3 13 0 0\ncpu0 1"
    busy = busy_seconds(after, 100) - busy_seconds(before, 100)
    assert busy == pytest.approx((200 + 10 + 50 + 1 + 1 + 10) / 100)  # neither idle nor waiting for a disk
    assert foreign_load(busy, own_s=1.72, clock_s=2.0) == pytest.approx(0.5)
    assert foreign_load(1.0, own_s=1.01, clock_s=2.0) == 0, "counters of ticks are coarse"


def test_disturbed_pairs_count_only_where_too_few_others_are_left():
    pairs = [pair(3, 2, foreign) for foreign in (0.1, 0.9, 0.2, 0.0)]
    assert [p.foreign for p in undisturbed(pairs, 0.25, needed=3)] == [0.1, 0.2, 0.0]
    assert undisturbed(pairs, 0.25, needed=4) == pairs
    assert ratios(pairs[:1], "processor") == [1.5] and ratios(pairs[:1], "clock") == [3.0]


def test_a_record_takes_the_place_of_an_earlier_one_and_of_a_failure():
    records = Records({}, {}, {"tiny-fairseq (1)": "killed", "tiny-fairseq (2)": "killed"})
    for rate in (2, 3):
        records.add(record("tiny-fairseq", [pair(rate, 1)]))
    assert [r.pairs[0].ours.words for r in records.records.values()] == [3]
    assert records.failed == {"tiny-fairseq (2)": "killed"}


def test_a_row_has_ratios_with_intervals_aim_share_and_load():
    pairs = [pair(1600 + step, 1000, foreign=0.1) for step in (0, 100, -100, 50, -50, 20, -20)]
    cells = row_of(written(record("tiny-fairseq", pairs)), "tiny-fairseq")
    assert cells == [
        *("docmt", "fairseq (`tiny-fairseq`)", "1", "**1.60 (1.50 to 1.70)**", "3.20 (3.00 to 3.40)"),
        *("1.50", "0.40", "500 / 400", "7", "0.10"),
    ]


def test_the_page_has_tables_of_what_was_measured_alone_and_names_who_was_skipped():
    failures = {"skipped": {"OpenNMT-py 3.5.1": "No matching distribution"}, "failed": {"length-8192 (1)": "no memory"}}
    text = written(record("tiny-fairseq", [pair(3, 2)] * 7), **failures)
    assert "- `length-8192 (1)` failed: no memory\n" in text
    assert f"### {GROUPS['sentences']}\n" in text and GROUPS["decoding"] not in text
    assert "- OpenNMT-py 3.5.1 could not be installed: No matching distribution\n" in text and "{" not in text
    assert "- 2026-11-26, commit abc1234, a processor, 2 cores; torch 2: tiny-fairseq (1)" in text


def test_each_machine_has_its_own_records_and_tables():
    pairs, slow = [pair(3, 2)] * 7, "a slow processor, 2 cores"
    here = [record("tiny-fairseq", pairs), record("tiny-opennmt", pairs)]
    there = record("tiny-fairseq", [pair(1, 2)] * 7, hardware=slow)
    records = Records({}, {}, {})
    for each in (there, *here):
        records.add(each)
    assert len(records.records) == 3
    first, second = page(records, limit=0.25, needed=7).split(f"\n## {slow}\n")
    assert "\n## a processor, 2 cores\n" in first and "0.50" not in first
    assert row_of(second, "tiny-fairseq")[3] == "0.50 (0.50 to 0.50)" and "(`tiny-opennmt`)" not in second


def test_the_page_in_the_repository_is_that_of_its_records():
    """Who measures writes both; limit and pairs are those of the command."""
    records = Records.read(ROOT / "benchmarks/peers.json")
    assert (ROOT / "benchmarks/README.md").read_text(encoding="utf-8") == page(records, limit=0.25, needed=7)


def test_all_other_records_are_linked():
    text = (ROOT / "benchmarks/peers/page.md").read_text(encoding="utf-8")
    others = {path.name for path in (ROOT / "benchmarks").glob("*.md")} - {"README.md"}
    assert {name for name in others if f"[{name}]({name})" not in text} == set()


def test_the_corpus_is_the_same_each_time_and_sides_have_its_sentences(tmp_path):
    first, second = (write_corpus(tmp_path / name, 200) for name in ("a", "b"))
    for split, documents in DOCUMENTS.items():
        sides = [first.sentences(split, side) for side in ("src", "tgt")]
        assert [len(side) for side in sides] == [documents * DOCUMENT] * 2 and all(sides[1])
        assert first.path(split, "src").read_bytes() == second.path(split, "src").read_bytes()
    assert translation([0, 3, 7, 8]) == [1, 2, 0, 9], "one word has two words, another none"
    assert translation([7]) == [6]


@pytest.mark.parametrize(("tokens", "sentences", "multiple"), [(40, -1, 1), (40, -1, 4), (-1, 5, 1), (40, 3, 2)])
def test_batches_of_fairseq_have_every_sentence_once_within_their_limits(tokens, sentences, multiple):
    lengths = np.sort(np.random.default_rng(1).integers(2, 12, size=50))
    order = np.arange(50)[::-1].copy()
    cut = batches(order, lengths[order], tokens, sentences, multiple)
    assert np.concatenate(cut).tolist() == order.tolist()
    for batch in cut:
        assert tokens < 0 or len(batch) * lengths[batch].max() <= tokens or len(batch) == 1
        assert sentences < 0 or len(batch) <= sentences
    assert all(len(batch) < multiple or len(batch) % multiple == 0 for batch in cut[:-1])


def test_a_job_runs_in_the_environment_of_its_engine_else_of_its_toolkit():
    job = Job("docmt", "decode", TINY, Path("corpus"))
    through = replace(job, options={"engine": "ctranslate2"})
    both = Environments({"docmt": Path("a"), "ctranslate2": Path("b")}, {})
    assert (both.python(job), both.python(through)) == (Path("a"), Path("b"))
    with pytest.raises(JobFailed, match="docmt decode needs ctranslate2, which could not be installed"):
        Environments({"docmt": Path("a")}, {}).python(through)
