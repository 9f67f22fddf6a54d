"""Examples of pages that `tests/docs/test_examples.py` does not run on the finished demo, and the reasons."""

CARRIED_OUT = {
    "README.md": "tests/docs/test_readme.py",
    "docs/explanation/metrics.md": "tests/docs/test_explanations.py",
    "docs/how-to/add-a-corpus-form.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-command.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-corpus.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-decoding-setting.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-figure.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-metric.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-model.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-step.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-system-of-others.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-a-way-of-measuring.md": "tests/docs/test_how_tos.py",
    "docs/how-to/add-an-ablation.md": "tests/docs/test_how_tos.py",
    "docs/how-to/one-table-on-one-gpu.md": "tests/docs/test_teaching_pages.py",
    "docs/how-to/read-the-report.md": "tests/docs/test_tutorial.py",
    "docs/how-to/write-a-plugin.md": "tests/docs/test_how_tos.py",
    "docs/how-to/share-artifacts.md": "tests/docs/test_teaching_pages.py",
    "docs/reference/programs.md": "tests/docs/test_programs.py",
    "docs/reference/signatures.md": "tests/docs/test_signatures_page.py",
    "docs/tutorial.md": "tests/docs/test_tutorial.py",
}
"""Pages that another test carries out from the first block to the last, and this test."""

ENVIRONMENT = "makes an environment: tests/packaging/test_packaging.py"
STUDIES = "trains for minutes or longer: tests/workflow/test_matrix.py"
PUBLISHED = "needs published contrastive sets, and a model of their languages: tests/cli/test_contrastive.py"
CLUSTER = "needs a Slurm with several nodes or GPUs: tests/supervision/test_several_nodes.py"
FAIRSEQ = "needs a checkpoint of fairseq: tests/cli/test_import_fairseq.py"

LEFT_OUT = {
    # Environments, images and other machines.
    "python3 -m venv": ENVIRONMENT,
    "pip install": ENVIRONMENT,
    "git clone": "asks a public host",
    "docker": "needs Docker: tests/packaging/test_containers.py",
    "apptainer": "needs Apptainer: tests/packaging/test_containers.py",
    "pytest": "runs tests",
    "ssh ": CLUSTER,
    "srun ": CLUSTER,
    "torchrun": "needs several GPUs: tests/supervision/test_several_nodes.py",
    "--set-resources": CLUSTER,
    "--ranks 4": "needs several GPUs: tests/supervision/test_ranks.py",
    "squeue": "asks a Slurm: tests/workflow/test_cluster.py",
    "--profile slurm": "asks a Slurm: tests/preflight/test_slurm.py",
    "--profile profiles/": "needs a cluster: tests/workflow/test_other_clusters.py",
    "docmt preflight --gpu": "measures this machine's processor: tests/devicecheck/test_run.py",
    "tensorboard": "serves until it is stopped",
    # Runs that take long, and places that are not those of the demo.
    "snakemake --cores 2 failure": STUDIES,
    "snakemake --cores 2 precision": STUDIES,
    "--config precision=bf16": "trains for minutes: tests/plan/test_machine.py",
    "snakemake --cores 2 all": STUDIES,
    "snakemake --cores 2 bible": STUDIES,
    "snakemake --cores 2 voita": "trains for minutes: tests/workflow/test_voita.py",
    "snakemake --cores 2 g-transformer": STUDIES,
    "lexical-chains/table4.sheet.csv": STUDIES,
    "seeds='[1,2,3]'": STUDIES,
    "results/8_report/paper/failure": STUDIES,
    "results/8_report/paper/long-short": STUDIES,
    "--forcerun train": STUDIES,
    "snakemake docmt_demo": "of another workflow: tests/workflow/test_module.py",
    "/scratch/me": "needs another folder: tests/workflow/test_places.py",
    "ln -s": "needs another folder: tests/workflow/test_places.py",
    "docmt reproduce": "makes the demo again: tests/provenance/test_reproduce.py",
    # Commands that ask other hosts, or read what is not here.
    "docmt add-corpus": "asks public hosts: tests/drafts/test_drafts.py",
    "docmt fetch-files mbart25": "downloads gigabytes: tests/fetching",
    "docmt fetch-files gold-alignments": "downloads files: tests/fetching",
    "docmt check-catalogue": "reads every corpus that is there: tests/cli/test_catalogue.py",
    "docmt check-corpus my/corpus.yaml": "needs a corpus of the reader's: tests/corpus/test_check.py",
    "docmt score-contrastive --model MODEL": PUBLISHED,
    "docmt score-cohesion": "needs a BERT: tests/scoring/test_adjacent.py",
    "docmt score-comet": "needs an environment with unbabel-comet: tests/scoring/programs/test_comet_scorer.py",
    "--aligner awesome-align": "needs a BERT: tests/cli/test_align.py",
    "docmt score-links": "needs gold links: tests/cli/test_align.py",
    "docmt import-fairseq": FAIRSEQ,
    "docmt translate --model imported": FAIRSEQ,
    "for_ctranslate2/translate.py": "needs a text: tests/exporting/test_ctranslate2.py",
    # Commands that do not end, or change the reader's shell.
    "watch -n": "does not end: tests/plan/test_progress.py",
    "docmt --install-completion": "changes the reader's shell: tests/cli/test_every_command.py",
}
"""Pieces of commands that do not run, and the reasons, with the test that covers them."""

PYTHON_LEFT_OUT = {"module docmt:": "of another workflow: tests/workflow/test_module.py"}
"""The same for Python."""
