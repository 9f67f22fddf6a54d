"""GPUs in the words of LSF, and the folder that pods share."""

from types import SimpleNamespace

from docmt.plan.other_clusters import ask_lsf_for_gpus, share_folder_with_pods


class Stated:
    """A resource of Snakemake, as a function of the attempt."""

    def __init__(self, value) -> None:
        self.value = value

    def evaluate(self, wildcards, attempt: int, **facts):
        return Stated(self.value(attempt) if callable(self.value) else self.value)


def options(attempt: int = 1, **stated) -> object:
    rule = SimpleNamespace(resources={name: Stated(value) for name, value in stated.items()})
    ask_lsf_for_gpus([rule])
    asked = rule.resources.get("lsf_extra")
    return asked({}, attempt=attempt, threads=1) if callable(asked) else asked


def test_a_job_with_gpus_asks_for_as_many_as_its_attempt_has():
    words = "-gpu num={gpu}:mode=shared"
    assert options(lsf_gpu=words, gpu=2) == "-gpu num=2:mode=shared"
    assert options(attempt=3, lsf_gpu=words, gpu=lambda attempt: attempt) == "-gpu num=3:mode=shared"


def test_a_job_without_gpus_asks_for_none():
    assert options(lsf_gpu="-gpu num={gpu}", gpu=0) == ""


def test_rules_stay_as_they_are_without_gpus_or_without_words_for_them():
    assert options(lsf_gpu="-gpu num={gpu}") is None
    assert options(gpu=1) is None


def test_pods_share_the_folder_of_the_project_and_other_executors_stay():
    plugins = {
        name: SimpleNamespace(common_settings=SimpleNamespace(implies_no_shared_fs=True))
        for name in ("kubernetes", "aws")
    }
    share_folder_with_pods(plugins)
    shared = {name: not plugin.common_settings.implies_no_shared_fs for name, plugin in plugins.items()}
    assert shared == {"kubernetes": True, "aws": False}
    share_folder_with_pods({})
