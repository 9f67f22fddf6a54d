"""The GPUs and the folder of docmt's jobs, of which the plugins of Snakemake for LSF and Kubernetes know nothing."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

GPUS, WORDS, OPTIONS = "gpu", "lsf_gpu", "lsf_extra"
"""The resources of a rule: the number of GPUs, the words for them (`profiles/lsf`), and further options of bsub."""
PLACE = "{gpu}"
"""The place of the number of GPUs in the options."""


def ask_lsf_for_gpus(rules: Iterable[Any]) -> None:
    """Let jobs with GPUs ask LSF for them, where a profile says in which words; the plugin does not know `gpu`.

    A profile cannot do so itself: its defaults are the same for all rules, and what it sets for one rule is replaced by
    profiles/default.
    """
    for rule in rules:
        if {GPUS, WORDS} <= rule.resources.keys():
            rule.resources[OPTIONS] = options_for(rule.resources)


def options_for(resources: Mapping[str, Any]) -> Callable[..., str]:
    """Return the function of Snakemake for the options of bsub of a job; they are empty for a job without GPUs.

    `resources`: the resources of its rule, with `evaluate`.
    """

    def options(wildcards: Any, **facts: Any) -> str:
        words, count = (resources[name].evaluate(wildcards, **facts).value for name in (WORDS, GPUS))
        return str(words).replace(PLACE, str(count)) if count else ""

    return options


def share_folder_with_pods(plugins: Mapping[str, Any]) -> None:
    """Let pods of Kubernetes share the folder of the project, as the nodes of a cluster do.

    The plugin says that pods share no files, so that Snakemake would pass declared files through a store. Jobs of docmt
    read more than declared files: settings, checkpoints, and all files of the folder of an input. `plugins`: the
    plugins of executors by their names. Option `--shared-fs-usage` of Snakemake can still say otherwise.
    """
    if "kubernetes" in plugins:
        plugins["kubernetes"].common_settings.implies_no_shared_fs = False
