"""The comments of jobs in Slurm, which say what the jobs do.

The executor of docmt writes `<rule> name=value ... run=<run> project=<project> work=<work>` for a job of a rule, whose
names are those of the wildcards, and `group <name> jobs=<n> ...` for several jobs in one, each behind the word `docmt`.
The plugin of Snakemake for Slurm writes `rule_<rule>_wildcards_<values>` and, for a rule without wildcards,
`rule_<rule>`; its values have no names, and `_` stands between them and in them.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

OURS = "docmt"
"""The first word of a comment of docmt's."""
GROUP = "group"
"""The second word of a comment of docmt's about a group of jobs."""
FACTS = ("run", "project", "work")
"""The names of facts that are no wildcards: the run of Snakemake that has submitted the job, and two digests."""
OF_PLUGIN = re.compile(r"rule_(?P<rule>.+?)(?:_wildcards_(?P<values>.*))?")


@dataclass(frozen=True)
class Purpose:
    """The purpose of a job of a cluster.

    `rule`: its rule, or `group`. `names`: the values of the wildcards by their names. `values`: the same in one text,
    where the comment has no names. `group`: the name of a group of jobs. `jobs`: the number of jobs of the workflow
    that it runs. `run`: the identifier of the run of Snakemake; `work`: the digest of what the job is to do. Both are
    empty where the comment has none.
    """

    rule: str
    names: tuple[tuple[str, str], ...] = ()
    values: str = ""
    group: str = ""
    jobs: int = 1
    run: str = ""
    work: str = ""

    def __str__(self) -> str:
        """Return the rule with the values of its wildcards, or the group with the number of its jobs."""
        if self.group:
            return f"{self.jobs} {'job' if self.jobs == 1 else 'jobs'} of the group {self.group}"
        return " ".join([self.rule, *([self.values] if self.values else [value for _, value in self.names])])


def purpose_of(comment: str) -> Purpose | None:
    """Return what a comment says; None for the comment of a job that is none of the workflow's."""
    words = comment.split()
    if len(words) > 1 and words[0] == OURS:
        return _ours(words[1:])
    match = OF_PLUGIN.fullmatch(comment.strip())
    return match and Purpose(match["rule"], values=match["values"] or "")


def purpose_of_text(text: str) -> Purpose | None:
    """Return what the words `<rule> name=value ...` say; None for another form."""
    return _ours(text.split())


def _ours(words: list[str]) -> Purpose | None:
    """Return what the words after `docmt` say; None for another form."""
    named = {name: unquote(value) for name, sign, value in (word.partition("=") for word in words) if sign}
    facts = {name: named.pop(name, "") for name in FACTS}
    run, work = facts["run"], facts["work"]
    if not words or "=" in words[0]:
        return None
    if words[0] != GROUP:
        return Purpose(words[0], tuple(sorted(named.items())), run=run, work=work)
    if len(words) < 2 or "=" in words[1]:
        return None
    count = named.get("jobs", "")
    return Purpose(GROUP, group=words[1], jobs=int(count) if count.isdecimal() else 1, run=run, work=work)
