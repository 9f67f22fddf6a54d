# Common code of all rules: the grid of systems, and functions from wildcards to paths.
#
# All functions are here and in the package (docmt.plan, docmt.training.exit); every rule runs one command of `docmt`
# with named paths. On a cluster each job parses this file again. It then reads the grid that the driver has written, so
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
from docmt.base.artifacts import atomic_file, read_json
from docmt.base.digests import canonical_json
from docmt.base.foreign import explained
from docmt.plan.grid import Grid, load_grid
from docmt.plan.items import item_files, page_of, run_folder, study_files
from docmt.catalogue.missing import left_out, missing_error, missing_files
from docmt.base.paths import (
    ALIGNER,
    AT_SCALE,
    CHAIN_WORDS,
    CHAINS,
    CHECKPOINT,
    COMPARISON,
    CORPUS,
    DEMO_REPORT,
    DEMO_REPORT_LOG,
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
    demo_report,
    scale_of_demo_report,
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
from docmt.base.machine import now
from docmt.plan.slices import check_scale, corpora_of, settings
from docmt.training.exit import endings

BEGAN = now()


def plan():
    """Return the grid of config.yaml; in a job on a cluster the one that the driver has written."""
    if workflow.remote_exec:
        return Grid.from_json(read_json(FROZEN_GRID), FROZEN_GRID)
    grid = load_grid(Path(workflow.basedir), config)
    if grid.missing == "stop":
        return grid
    needed = {corpus for entry in grid.entries for corpus in grid.corpora_for(entry)}
    needed |= {corpus for study in grid.studies.values() for corpus in study.corpora}
    corpora = [] if grid.fixtures else [grid.corpora[corpus] for corpus in sorted(needed)]
    folders = {folder for entry in grid.entries for folder in grid.checkpoints_for(entry)}
    checkpoints = sorted(folder for folder in folders if not is_random_checkpoint(folder))
    return dataclasses.replace(grid, not_run=left_out(corpora, grid.places()) | missing_checkpoints(checkpoints))


def refuse(problem):
    """Print the message of a UserError, without a trace, and exit with its status."""
    print(f"docmt: {problem}", file=sys.stderr)
    sys.exit(problem.status)


def or_refuse(function, *arguments):
    """Call a function of the package; a UserError, or an error of a file, is printed without a trace."""
    try:
        return function(*arguments)
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        refuse(error)


def check_driver():
    """Refuse options that are not supported, and a Python without the packages of jobs, unless jobs run in conda."""
    if workflow.remote_exec:
        return
    or_refuse(refuse_cache, workflow.workflow_settings.cache)
    if DeploymentMethod.CONDA not in workflow.deployment_settings.deployment_method:
        or_refuse(check_packages, GRID.scoring.aligner)


GRID = or_refuse(plan)
TARGET_STUDIES = sorted(GRID.studies, key=lambda study: (study != "demo", study))
check_driver()


def environment():
    """Return the start of every job's shell script: the driver's Python first in PATH, and DOCMT_* variables.

    The variables have facts of this run that are not settings of a job: a change of them runs no job again.
    """
    values = {"DOCMT_MIRROR": GRID.mirror or "", "DOCMT_DEVICE": GRID.device, "DOCMT_LOCAL": json.dumps(GRID.local)}
    values |= {END_WITH_PARENT: "1"}
    values |= {"DOCMT_ON_CLUSTER": "1"} if workflow.remote_exec else {}
    exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
    path = shlex.quote(str(Path(sys.executable).parent))
    return f'set -euo pipefail; export PATH={path}:"$PATH" {exports}; '.replace("{", "{{").replace("}", "}}")


shell.prefix(environment())


def rest_while_jobs_run():
    """Switch off snakemake's limit on jobs per second, where it is the default and not a choice of the user.

    With the limit, snakemake 9 examines all ready jobs again one second after each examination. These repetitions add
    up: each job that ends adds one more per second, and after a thousand jobs the driver needs a core for itself.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def stop_jobs_too(number, frame):
    """Handle Ctrl-C: end the jobs as well, which the terminal may not have signalled; snakemake waits until they end.

    Otherwise a training would run to its end, and the next run would repeat it, since snakemake treats the output of
    a job that ends after an interruption as incomplete.
    """
    for job in psutil.Process().children():
        job.terminate()
    signal.default_int_handler(number, frame)


def freeze_grid():
    """Write the grid for jobs on a cluster."""
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
    """Return the entry of a run's folder."""
    return or_refuse(GRID.find, wildcards.corpus, wildcards.system)


def check_missing(corpus):
    """Refuse a corpus with files that only a person can bring; the message has those of all requested corpora."""
    if not or_refuse(missing_files, GRID.corpora[corpus], GRID.places()):
        return
    requested = dict.fromkeys([*corpora_of(GRID, workflow.dag_settings.targets), corpus])
    missing = {name: or_refuse(missing_files, GRID.corpora[name], GRID.places()) for name in requested}
    refuse(missing_error(missing, GRID.places()))


def downloads(wildcards):
    """Return the downloaded files of a corpus, or the folder with those of its fixture."""
    if GRID.fixtures:
        corpus = or_refuse(GRID.corpus_in, wildcards.corpus, CORPUS.at(corpus=wildcards.corpus))
        return [f"{CORPUS.at(corpus=wildcards.corpus)}/downloads"] if GRID.corpora[corpus].files else []
    files = GRID.corpora[wildcards.corpus].files if wildcards.corpus in GRID.corpora else ()
    if files and not workflow.remote_exec:
        check_missing(wildcards.corpus)
    return [f"{CORPUS.at(corpus=wildcards.corpus)}/downloads/{file.name}" for file in files]


def catalogue(wildcards):
    """Return the catalogue's file on a corpus."""
    return GRID.corpus_files[wildcards.corpus]


def tokens_folder(entry):
    """Return the folder of an entry's tokens."""
    return TOKENS.at(corpus=GRID.data_folder(entry.corpus), text=entry.system.text)


def view_folder(entry, stage=VIEW):
    """Return the folder of an entry's view in stage 3, or in stage 4 that of its lexical chains."""
    return stage.at(corpus=GRID.data_folder(entry.corpus), text=entry.system.text, view=entry.system.view.name)


def segment_chains(entry):
    """Return the lexical chains of an entry's view as an input, for models that read them."""
    if entry.system.model.kind not in READS_CHAINS:
        return {}
    return {"chains": f"{view_folder(entry, CHAINS)}/card.json"}


def chains_option(wildcards, input):
    """Return the option --chains of a command, where the job has chains as an input."""
    return f"--chains {shlex.quote(str(Path(input.chains).parent))}" if hasattr(input, "chains") else ""


def model_folder(entry, scale, seed):
    """Return the folder of the model that an entry uses, which may be that of another system."""
    return f"{TRAINING.at(scale=scale, corpus=entry.corpus, system=entry.trained, seed=seed)}/model"


def training_inputs(wildcards):
    """Return the inputs of a training: view, text, chains if the model reads them, and the start of training."""
    entry = find(wildcards)
    inputs = {"view": f"{view_folder(entry)}/card.json", "text": f"{tokens_folder(entry)}/text"}
    inputs |= segment_chains(entry)
    start = GRID.started_from(entry)
    if start:
        inputs["init"] = model_folder(start, wildcards.scale, wildcards.seed)
    if entry.system.pretrained:
        inputs["pretrained"] = checkpoint_inputs(entry.system)
    return inputs


def checkpoints_of_kind(*kinds):
    """Return a pattern of the names of this scale's random checkpoints of some kinds; it never matches without any."""
    return "|".join(re.escape(name) for name, random in GRID.checkpoints.items() if random.kind in kinds) or "(?!)"


def checkpoint_of(folder):
    """Return the files with settings and weights of a pretrained model, or of the random one in its place."""
    return random_checkpoint_files(folder) if is_random_checkpoint(folder) else or_refuse(checkpoint_files, folder)


def tokenizer_of(folder):
    """Return the tokenizer file of a pretrained model, or of the random one that replaces it."""
    return f"{folder}/{TOKENIZER}" if is_random_checkpoint(folder) else or_refuse(tokenizer_file, folder)


def aligner_of(folder):
    """Return the files of a model of awesome-align, or of the random one that replaces it."""
    return (
        random_checkpoint_files(folder, ALIGNER_FILES)
        if is_random_checkpoint(folder)
        else or_refuse(aligner_files, folder)
    )


def checkpoint_inputs(system):
    """Return the files of the checkpoint that training starts from; refuse one that does not match the model."""
    if not is_random_checkpoint(system.pretrained):
        or_refuse(check_model, system.model, system.pretrained)
    return checkpoint_of(system.pretrained)


def start_option(wildcards, input):
    """Return the option --init or --pretrained of a training, or nothing where it starts from random weights."""
    if hasattr(input, "init"):
        return f"--init {shlex.quote(str(input.init))}"
    pretrained = find(wildcards).system.pretrained
    return f"--pretrained {shlex.quote(pretrained)}" if pretrained else ""


def tokens_inputs(wildcards):
    """Return the inputs of stage 2: a corpus and, for a text of pretrained pieces, their tokenizer."""
    inputs = {"documents": f"{CORPUS.at(corpus=wildcards.corpus)}/documents.parquet"}
    text = GRID.texts.get(wildcards.text)
    if text and text.pretrained:
        inputs["tokenizer"] = tokenizer_of(text.pretrained)
    return inputs


def learnt_text(wildcards):
    """Return the text of another corpus as an input, where the text is learnt on that corpus."""
    text = GRID.texts.get(wildcards.text)
    where = TOKENS.at(corpus=wildcards.corpus, text=wildcards.text)
    other = text and text.takes_from(or_refuse(GRID.corpus_in, wildcards.corpus, where))
    return {"learnt": f"{TOKENS.at(corpus=GRID.data_folder(other), text=wildcards.text)}/text"} if other else {}


def learnt_option(wildcards, input):
    """Return the option --learnt of a command, where the job has the text of another corpus as an input."""
    return f"--learnt {shlex.quote(str(input.learnt))}" if hasattr(input, "learnt") else ""


def parts(path):
    """Return the outputs of the shards of a pass of stage 2, in order."""
    return [f"{path}.{number}of{GRID.shards}" for number in range(1, GRID.shards + 1)]


def decoding_inputs(wildcards):
    """Return the inputs of decoding: view, model, and chains if the model reads them."""
    entry = find(wildcards)
    view = f"{view_folder(entry)}/card.json"
    model = model_folder(entry, wildcards.scale, wildcards.seed)
    return {"view": view, "model": model, **segment_chains(entry)}


def passage_model(wildcards):
    """Return the model folder of the run that translates a passage."""
    return model_folder(find(wildcards), wildcards.scale, wildcards.seed)


def scoring_inputs(wildcards):
    """Return the inputs of scoring, with the files that `scoring` of config.yaml names."""
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
    """Return the files that `scoring` of config.yaml names for the languages of an entry's corpus."""
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
    """Return the options of `docmt job score-system` for the files of `named_scoring_inputs`."""
    names = ("source_stop_list", "target_stop_list", "word_vectors", "next_sentence_model", "aligner")
    given = {name: getattr(input, name) for name in names if hasattr(input, name)}
    if "aligner" in given:
        given["aligner"] = Path(given["aligner"]).parent
    if "next_sentence_model" in given:
        given["next_sentence_model"] = Path(given["next_sentence_model"][0]).parent
    return " ".join(f"--{name.replace('_', '-')} {shlex.quote(str(path))}" for name, path in given.items())


def comparison_inputs(wildcards):
    """Return the sums by unit of the test set (details.arrow) of all runs that a table compares."""
    comparisons = or_refuse(settings, GRID, COMPARISON.part(**wildcards))
    runs = {
        (GRID.named(wildcards.study, pair["corpus"], pair[name]), seed)
        for pair in comparisons["pairs"]
        for name in ("system", "baseline")
        for seed in pair["seeds"]
    }
    return sorted(f"{run_folder(GRID, SCORES, entry, seed)}/details.arrow" for entry, seed in runs)


def item_inputs(wildcards):
    """Return the inputs of a table, figure or passage."""
    or_refuse(check_scale, GRID, wildcards.scale, ITEM.at(**wildcards))
    return or_refuse(item_files, GRID, wildcards.study, wildcards.item)


def report_inputs(wildcards):
    """Return the inputs of a study's page: all scores, records and curves, and those of its items.

    Systems that are left out (`missing: skip`) are not among them.
    """
    or_refuse(check_scale, GRID, wildcards.scale, REPORT.at(**wildcards))
    return or_refuse(study_files, GRID, wildcards.study)


def demo_page(wildcards):
    """Return the inputs of the copy of the demo's page: the page and its settings."""
    scale = scale_of_demo_report(wildcards.at_scale)
    or_refuse(check_scale, GRID, scale, demo_report(scale))
    folder = REPORT.at(scale=scale, study="demo")
    return {"page": f"{folder}/index.html", "settings": f"{folder}/settings.json"}


def study_report(study):
    """Return the page of a study, which is its target."""
    return demo_report(GRID.scale) if study == "demo" else page_of(GRID, study, "index")
