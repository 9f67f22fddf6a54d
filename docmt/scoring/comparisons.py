"""Systems beside their baselines: differences and p-values, of plain files and of a study."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from docmt.base.artifacts import as_object, read_object, write_json
from docmt.base.errors import UserError
from docmt.base.paths import SCORES
from docmt.scoring.bleu_scores import bleu_scores, bleu_tallies
from docmt.scoring.inputs import Lines, References, Translations
from docmt.scoring.significance import TESTS, seed_p_value, significance_signature
from docmt.scoring.tallies import Tally, read_tallies, select
from docmt.settings.metrics import parse_metric


@dataclass(frozen=True)
class Comparison:
    """Scores are means over runs. `better`, `worse`, `equal` count draws of the bootstrap, or units of the sign test.

    `p_units` is of the test over units, `p_seeds` of that over trainings (none for fewer than three); `p` is the
    larger one: the difference is then neither due to which test set it is, nor to which seeds.
    """

    system_score: float
    baseline_score: float
    difference: float
    p: float
    p_units: float
    p_seeds: float | None
    better: int
    worse: int
    equal: int
    signature: str


def compare(system: Sequence[Tally], baseline: Sequence[Tally], test: str) -> Comparison:
    """One metric; a tally a run, in the same order of seeds. `test`: a name of `significance.TESTS`.

    Raises UserError where the units are not the same.
    """
    first = system[0]
    for tally in (*system, *baseline):
        if tally.names != first.names:
            raise UserError(
                f"not the same {first.unit}", where=first.measure, found=len(tally.names), expected=len(first.names)
            )
    ours, theirs = ([tally.counts for tally in runs] for runs in (system, baseline))
    outcome = TESTS[test](ours, theirs, first.scores)
    scores = [[tally.score for tally in runs] for runs in (system, baseline)]
    p_seeds = seed_p_value(*scores)
    return Comparison(
        system_score=sum(scores[0]) / len(system),
        baseline_score=sum(scores[1]) / len(baseline),
        p_units=outcome.p,
        p_seeds=p_seeds,
        **{**asdict(outcome), "p": max(outcome.p, p_seeds or 0.0)},
        signature=significance_signature(test, first.unit, len(first.names), len(system)),
    )


def compare_bleu(
    system: Translations,
    baseline: Translations,
    references: References,
    target_language: str,
    lines: Lines = "sentences",
    test: str = "bootstrap",
) -> list[dict]:
    """A record for each family and unit of BLEU: what `Comparison` has, and the signature of the score.

    `lines`: what a line of the translations is. Raises UserError as `compare` does.
    """
    given = references, target_language, lines
    tallies = [bleu_tallies(one, *given) for one in (system, baseline)]
    scores = bleu_scores(tallies[0])
    names = [(family, unit) for family, found in scores.items() for unit in found]
    return [
        {
            "family": family,
            "unit": unit,
            **asdict(compare([own], [other], test)),
            "score_signature": scores[family][unit]["signature"],
        }
        for (family, unit), own, other in zip(names, *tallies, strict=True)
    ]


def write_comparisons(settings: Path, results: Path, output: Path) -> None:
    """`docmt compare-table`: `{"comparisons": [...]}`, each with its corpus, metric, system, baseline and test."""
    chosen = read_object(settings, "study", "scale", "pairs", "folders")
    for pair in chosen["pairs"]:
        as_object(pair, f"{settings} pairs", ("corpus", "system", "baseline", "test", "metrics", "seeds"))
    rows = [row for pair in chosen["pairs"] for row in _compare_pair(pair, chosen, results)]
    write_json(output, {"study": chosen["study"], "scale": chosen["scale"], "comparisons": rows})


def _compare_pair(pair: dict, chosen: dict, results: Path) -> Iterator[dict]:
    """Every metric of a system and its baseline; those that one of them lacks are left out.

    So are packed instances, which are the same only in systems of the same view.
    """
    runs = [list(_runs(pair, name, chosen, results)) for name in ("system", "baseline")]
    for metric in pair["metrics"]:
        wanted = parse_metric(metric).tallied
        ours, theirs = ([select(tallies, wanted) for tallies in one] for one in runs)
        if None in (*ours, *theirs) or (ours[0].unit == "instances" and ours[0].names != theirs[0].names):
            continue
        names = {name: pair[name] for name in ("corpus", "system", "baseline", "test")}
        yield {**names, "metric": metric, **asdict(compare(ours, theirs, pair["test"]))}


def _runs(pair: dict, name: str, chosen: dict, results: Path) -> Iterator[list[Tally]]:
    corpus = pair["corpus"]
    names = {"scale": chosen["scale"], "corpus": corpus, "system": chosen["folders"][corpus][pair[name]]}
    for seed in pair["seeds"]:
        yield read_tallies(SCORES.under(results, **names, seed=seed) / "details.arrow")
