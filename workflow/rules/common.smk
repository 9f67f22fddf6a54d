# What all rules share: the grid of systems, and functions from wildcards to paths.
#
# Functions stand here and in the package (docmt.plan, and how trainings ended); every rule runs one command of `docmt`
# with named paths. On a cluster each job parses this file again: it then reads the grid that the driver has frozen, so
# that an edit of config.yaml, valid or not, cannot reach a job that waits in a queue.

import dataclasses
import json
import re
import shlex
import signal
import sys
from pathlib import Path

import psutil

from snakemake.settings.types import DeploymentMethod

from docmt.settings.models import READS_CHAINS
from docmt.base.artifacts import atomic_file, canonical_json, read_json
from docmt.base.foreign import explained
from docmt.plan.grid import Grid, load_grid
from docmt.plan.items import item_files, run_folder, study_files
from docmt.catalogue.missing import left_out, missing_error, missing_files
from docmt.base.paths import (
    ALIGNER,
    CHAIN_WORDS,
    CHAINS,
    CHECKPOINT,
    COMPARISON,
    CORPUS,
    DEMO_REPORT,
    FROZEN_GRID,
    ITEM,
    PASSAGE,
    REPORT,
    SCORES,
    STATE,
    TOKENS,
    TRAINING,
    TRANSLATIONS,
    VECTORS,
    VIEW,
)
from docmt.base.parent import VARIABLE as END_WITH_PARENT
from docmt.plan.preflight import check_packages, check_study_names, refuse_cache
from docmt.settings.pretrained import (
    ALIGNER_FILES,
    TOKENIZER,
    aligner_files,
    check_model,
    checkpoint_files,
    is_random_checkpoint,
    random_checkpoint_files,
    missing_checkpoints,
    tokenizer_file,
)
from docmt.settings.scoring import TRAINED
from docmt.plan.slices import corpora_of, settings
from docmt.training.exit import endings, now

BEGAN = now()


def plan():
    if workflow.remote_exec:
        return Grid.from_json(read_json(FROZEN_GRID), FROZEN_GRID)
    grid = load_grid(Path(workflow.basedir), config)
    if grid.missing == "stop":
        return grid
    asked = {corpus for entry in grid.entries for corpus in grid.corpora_for(entry)}
    asked |= {corpus for study in grid.studies.values() for corpus in study.corpora}
    corpora = [] if grid.fixtures else [grid.corpora[corpus] for corpus in sorted(asked)]
    needed = {folder for entry in grid.entries for folder in grid.checkpoints_for(entry)}
    checkpoints = sorted(folder for folder in needed if not is_random_checkpoint(folder))
    return dataclasses.replace(grid, not_run=left_out(corpora, grid.places()) | missing_checkpoints(checkpoints))


def refuse(problem):
    """A mistake of the user's: the message, no trace, and the status that says so."""
    print(f"docmt: {problem}", file=sys.stderr)
    sys.exit(problem.status)


def or_refuse(ask, *arguments):
    """What a function of the package answers; its refusal, or trouble with a file, is the user's to read."""
    try:
        return ask(*arguments)
    except Exception as problem:
        told = explained(problem)
        if told is None:
            raise
        refuse(told)


def check_driver():
    """What the driver is asked to do, and whether its Python has what jobs need; jobs in conda have their own."""
    if workflow.remote_exec:
        return
    or_refuse(refuse_cache, workflow.workflow_settings.cache)
    if DeploymentMethod.CONDA not in workflow.deployment_settings.deployment_method:
        or_refuse(check_packages, GRID.scoring.aligner)


GRID = or_refuse(plan)
TARGET_STUDIES = sorted(GRID.studies, key=lambda study: (study != "demo", study))
check_driver()


def environment():
    """What every job's shell starts with: `docmt` where the driver's Python has it, and what is no setting of a job."""
    values = {"DOCMT_MIRROR": GRID.mirror or "", "DOCMT_DEVICE": GRID.device, "DOCMT_LOCAL": json.dumps(GRID.local)}
    values |= {END_WITH_PARENT: "1"}
    values |= {"DOCMT_ON_CLUSTER": "1"} if workflow.remote_exec else {}
    exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
    path = shlex.quote(str(Path(sys.executable).parent))
    return f'set -euo pipefail; export PATH={path}:"$PATH" {exports}; '.replace("{", "{{").replace("}", "}}")


shell.prefix(environment())


def rest_while_jobs_run():
    """Where the caller says nothing of how many jobs may start in which time, do not count them.

    Where it counts them, as it does by default, snakemake 9 looks at all jobs that are ready once more a second after
    each time that it did so. These repetitions add up: with each job that ends there is one more a second, and after
    a thousand the driver needs a core for itself.
    """
    counted = workflow.scheduling_settings.max_jobs_per_timespan
    if counted and (counted.max_jobs, counted.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def stop_jobs_too(number, frame):
    """At Ctrl-C: tell the jobs as well, where the terminal has not; snakemake then waits until they have ended.

    Without it a training would be made to its end, and again by the next run, since snakemake takes what a job leaves
    after an interruption for incomplete.
    """
    for job in psutil.Process().children():
        job.terminate()
    signal.default_int_handler(number, frame)


def freeze_grid():
    """For jobs on a cluster."""
    with atomic_file(FROZEN_GRID) as stream:
        stream.write(GRID.to_json())


onstart:
    rest_while_jobs_run()
    if workflow.local_exec:
        signal.signal(signal.SIGINT, stop_jobs_too)
    or_refuse(freeze_grid)


onerror:
    for line in or_refuse(endings, STATE, BEGAN):
        print(f"docmt: {line}", file=sys.stderr)


wildcard_constraints:
    checkpoint="[^/]+",
    corpus="[^/]+",
    text="[^/]+",
    view="[^/]+",
    scale="[^/]+",
    system="[^/]+",
    seed=r"\d+",
    study="[^/]+",
    table="[^/]+",
    passage="[^/]+",
    item=r"(?!(?:index|settings)\.(?:html|json|csv)$)[^/]+",
    part=r"\d+",
    parts=r"\d+",


def settings_slice(wildcards):
    """The settings of a job, as the canonical text that the job's folder gets as settings.json."""
    return canonical_json(or_refuse(settings, GRID, wildcards.path))


def find(wildcards):
    return or_refuse(GRID.find, wildcards.corpus, wildcards.system)


def check_missing(corpus):
    """Name all files that nobody has, of every corpus that was asked for, where one of them is this corpus'."""
    if not or_refuse(missing_files, GRID.corpora[corpus], GRID.places()):
        return
    asked = dict.fromkeys([*corpora_of(GRID, workflow.dag_settings.targets), corpus])
    missing = {name: or_refuse(missing_files, GRID.corpora[name], GRID.places()) for name in asked}
    refuse(missing_error(missing, GRID.places()))


def downloads(wildcards):
    """The files of a corpus, or the folder of its fixture's."""
    if GRID.fixtures:
        corpus = or_refuse(GRID.corpus_in, wildcards.corpus, CORPUS.at(corpus=wildcards.corpus))
        return [f"{CORPUS.at(corpus=wildcards.corpus)}/downloads"] if GRID.corpora[corpus].files else []
    files = GRID.corpora[wildcards.corpus].files if wildcards.corpus in GRID.corpora else ()
    if files and not workflow.remote_exec:
        check_missing(wildcards.corpus)
    return [f"{CORPUS.at(corpus=wildcards.corpus)}/downloads/{file.name}" for file in files]


def catalogue(wildcards):
    return GRID.corpus_files[wildcards.corpus]


def tokens_folder(entry):
    return TOKENS.at(corpus=GRID.data_folder(entry.corpus), text=entry.system.text)


def view_folder(entry, stage=VIEW):
    """Of stage 3 or 4."""
    return stage.at(corpus=GRID.data_folder(entry.corpus), text=entry.system.text, view=entry.system.view.name)


def segment_chains(entry):
    """The lexical chains of a view, for models that read them."""
    if entry.system.model.kind not in READS_CHAINS:
        return {}
    return {"chains": f"{view_folder(entry, CHAINS)}/card.json"}


def chains_option(wildcards, input):
    return f"--chains {shlex.quote(str(Path(input.chains).parent))}" if hasattr(input, "chains") else ""


def model_folder(entry, scale, seed):
    return f"{TRAINING.at(scale=scale, corpus=entry.corpus, system=entry.trained, seed=seed)}/model"


def training_inputs(wildcards):
    """A system's view and text, its chains where it reads them, the model or checkpoint that it starts from."""
    entry = find(wildcards)
    inputs = {"view": f"{view_folder(entry)}/card.json", "text": f"{tokens_folder(entry)}/text"}
    inputs |= segment_chains(entry)
    start = GRID.started_from(entry)
    if start:
        inputs["init"] = model_folder(start, wildcards.scale, wildcards.seed)
    if entry.system.pretrained:
        inputs["pretrained"] = checkpoint_inputs(entry.system)
    return inputs


def made_of_kind(*kinds):
    """A pattern of the names of checkpoints, which nothing fits where the scale makes none of these kinds."""
    return "|".join(re.escape(name) for name, made in GRID.checkpoints.items() if made.kind in kinds) or "(?!)"


def checkpoint_of(folder):
    """The settings and weights of a pretrained model: of the user's, or of one that the scale makes."""
    return random_checkpoint_files(folder) if is_random_checkpoint(folder) else or_refuse(checkpoint_files, folder)


def tokenizer_of(folder):
    return f"{folder}/{TOKENIZER}" if is_random_checkpoint(folder) else or_refuse(tokenizer_file, folder)


def aligner_of(folder):
    return random_checkpoint_files(folder, ALIGNER_FILES) if is_random_checkpoint(folder) else or_refuse(aligner_files, folder)


def checkpoint_inputs(system):
    """What training starts from; the system's model must be like it."""
    if not is_random_checkpoint(system.pretrained):
        or_refuse(check_model, system.model, system.pretrained)
    return checkpoint_of(system.pretrained)


def start_option(wildcards, input):
    if hasattr(input, "init"):
        return f"--init {shlex.quote(str(input.init))}"
    pretrained = find(wildcards).system.pretrained
    return f"--pretrained {shlex.quote(pretrained)}" if pretrained else ""


def tokens_inputs(wildcards):
    """A corpus and, for a text of pretrained pieces, what cuts them."""
    inputs = {"documents": f"{CORPUS.at(corpus=wildcards.corpus)}/documents.parquet"}
    text = GRID.texts.get(wildcards.text)
    if text and text.pretrained:
        inputs["tokenizer"] = tokenizer_of(text.pretrained)
    return inputs


def learnt_text(wildcards):
    """What another corpus has learnt, for a text that is taken from there."""
    text = GRID.texts.get(wildcards.text)
    where = TOKENS.at(corpus=wildcards.corpus, text=wildcards.text)
    other = text and text.takes_from(or_refuse(GRID.corpus_in, wildcards.corpus, where))
    return {"learnt": f"{TOKENS.at(corpus=GRID.data_folder(other), text=wildcards.text)}/text"} if other else {}


def learnt_option(wildcards, input):
    return f"--learnt {shlex.quote(str(input.learnt))}" if hasattr(input, "learnt") else ""


def parts(path):
    """The parts that several jobs of stage 2 make, in order."""
    return [f"{path}.{number}of{GRID.shards}" for number in range(1, GRID.shards + 1)]


def decoding_inputs(wildcards):
    entry = find(wildcards)
    view = f"{view_folder(entry)}/card.json"
    model = model_folder(entry, wildcards.scale, wildcards.seed)
    return {"view": view, "model": model, **segment_chains(entry)}


def passage_model(wildcards):
    return model_folder(find(wildcards), wildcards.scale, wildcards.seed)


def scoring_inputs(wildcards):
    entry = find(wildcards)
    folder = TRANSLATIONS.at(**wildcards)
    inputs = {
        "corpus": f"{CORPUS.at(corpus=GRID.data_folder(entry.corpus))}/documents.parquet",
        "tokens": f"{tokens_folder(entry)}/tokens.arrow",
        "view": f"{view_folder(entry)}/card.json",
        "translations": f"{folder}/decoding.json",
    }
    if GRID.corpora[entry.corpus].contrastive:
        inputs["contrastive"] = f"{folder}/{GRID.scoring.contrastive.file}"
    return inputs | named_scoring_inputs(entry)


def named_scoring_inputs(entry):
    """What `scoring` of config.yaml names for the languages of a corpus."""
    corpus, data = GRID.corpora[entry.corpus], {"corpus": GRID.data_folder(entry.corpus), "text": entry.system.text}
    consistency, vectors = GRID.scoring.consistency, GRID.scoring.coherence.vectors.get(corpus.target_language)
    if vectors == TRAINED:
        vectors = f"{VECTORS.at(**data)}/vectors.txt"
    inputs = {
        "source_stop_list": consistency.source_stop_lists.get(corpus.source_language),
        "target_stop_list": consistency.target_stop_lists.get(corpus.target_language),
        "word_vectors": vectors,
    }
    if GRID.scoring.aligner.kind == "default":
        inputs["aligner"] = f"{ALIGNER.at(**data)}/lexicon.arrow"
    if GRID.scoring.aligner.model:
        inputs["aligner_model"] = aligner_of(GRID.scoring.aligner.model)
    model = GRID.scoring.cohesion.models.get(corpus.target_language)
    if model:
        inputs["next_sentence_model"] = [*checkpoint_of(model), tokenizer_of(model)]
    return {name: path for name, path in inputs.items() if path}


def scoring_options(wildcards, input):
    """Options of `docmt score-system` for what `named_scoring_inputs` has."""
    names = ("source_stop_list", "target_stop_list", "word_vectors", "next_sentence_model", "aligner")
    given = {name: getattr(input, name) for name in names if hasattr(input, name)}
    if "aligner" in given:
        given["aligner"] = Path(given["aligner"]).parent
    if "next_sentence_model" in given:
        given["next_sentence_model"] = Path(given["next_sentence_model"][0]).parent
    return " ".join(f"--{name.replace('_', '-')} {shlex.quote(str(path))}" for name, path in given.items())


def comparison_inputs(wildcards):
    """What each unit of the test set adds to the scores of the systems that a table compares."""
    chosen = or_refuse(settings, GRID, COMPARISON.part(**wildcards))
    runs = {
        (GRID.named(wildcards.study, pair["corpus"], pair[name]), seed)
        for pair in chosen["pairs"]
        for name in ("system", "baseline")
        for seed in pair["seeds"]
    }
    return sorted(f"{run_folder(GRID, SCORES, entry, seed)}/details.arrow" for entry, seed in runs)


def item_inputs(wildcards):
    """What a table, figure or passage is made from, and nothing else."""
    return or_refuse(item_files, GRID, wildcards.study, wildcards.item)


def report_inputs(wildcards):
    """Every score of a study, with the records and curves of its trainings, and what its items need; not what is left
    out."""
    return or_refuse(study_files, GRID, wildcards.study)


def study_report(study):
    return DEMO_REPORT if study == "demo" else f"{REPORT.at(study=study)}/index.html"
