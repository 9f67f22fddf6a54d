"""Which pages each part of the reference has, and which sections each page has."""

from typing import NamedTuple


class Part(NamedTuple):
    """A page: its name, its title, what its readers want to do, and a pattern of the headings that it begins with."""

    name: str
    title: str
    purpose: str
    headings: str


ON_INDEX = "All keys|In an editor|Exit statuses|Other files|defaults$"
"""A pattern of the headings whose sections an index has."""


def of_readers(*kinds: str) -> str:
    """Return the pattern of the sections of readers."""
    return f".*kind: ({'|'.join(kinds)})$"


COMMANDS = (
    Part("models", "Commands for trained models", "translate with a model, or export it", "Use a trained model"),
    Part("scores", "Commands for scores", "score translations that are in files", "Score translations"),
    Part("human-evaluation", "Commands for human evaluation", "let people judge translations", "docmt draw-sheet"),
    Part("corpora", "Commands for corpora", "align words or check corpora", "Align words"),
    Part("studies", "Commands before a run", "begin studies, get files and check runs", "Prepare a run"),
    Part("runs", "Commands for runs", "watch runs and manage their results", "Watch runs"),
    Part("sharing", "Commands for sharing", "publish results or share them", "Publish and reproduce|docmt store$"),
    Part("jobs", "The command of the workflow", "run or read a single job", "Called by the workflow"),
)
SETTINGS = (
    Part("texts", "Settings of texts", "choose how sentences become pieces", "texts"),
    Part("views", "Settings of views", "choose how documents are cut into segments", r"defaults\.view"),
    Part(
        "models",
        "Settings of models",
        "choose an architecture and its sizes",
        r"defaults\.model(\.(transformer|g_transformer|long_short))?$",
    ),
    Part(
        "context-models",
        "Settings of context models",
        "choose an architecture that adds context to single sentences",
        r"defaults\.model\.(lexical_chain|han|w_link)$",
    ),
    Part("training", "Settings of training", "change how models are trained", r"defaults\.train"),
    Part("decoding", "Settings of decoding", "change how translations are searched", r"defaults\.decode"),
    Part("scoring", "Settings of scores", "change how translations are scored", "scoring"),
)
STUDY_FILE = (
    Part("systems", "Systems of a study", "state what is trained and translated", "systems"),
    Part("tables", "Tables of a study", "show scores, counts or judgements in tables", "tables"),
    Part("figures", "Figures of a study", "draw figures of results", "figures"),
    Part(
        "findings",
        "Passages and findings",
        "show translations, or state what numbers say",
        "passages",
    ),
    Part("metrics", "Metrics", "name a metric in a table or a figure", "Metrics"),
)
CORPUS_FILE = (
    Part(
        "readers-of-text",
        "Readers of text",
        "read files of lines, tables or translation memories",
        rf"reader$|{of_readers('combined', 'eos', 'files', 'lines', 'table', 'tmx', 'toy')}",
    ),
    Part(
        "readers-of-published-corpora",
        "Readers of published corpora",
        "read corpora in the form in which IWSLT, NIST, OPUS or WMT publish them",
        of_readers("iwslt_tags", "iwslt_xml", "nist_sgm", "opus", "opus_xml", "sacrebleu", "verses", "wmt_xml"),
    ),
    Part(
        "readers-of-contrastive-sets",
        "Readers of contrastive sets",
        "read contrastive sets",
        of_readers("contrapro", "contrastive_lines", "contrastive_table", "discevalmt", "voita"),
    ),
    Part(
        "files",
        "Files and counts",
        "state where files come from, and how many sentences to expect",
        "expected|files|most_shared|published|train_parts",
    ),
)
RESULTS = (
    Part("corpora", "Results: corpora and tokens", "read corpora and tokens", "[012] "),
    Part("views", "Results: views and chains", "read segments and lexical chains", "[34] "),
    Part("training", "Results: training", "read models and the curves of their training", "5 "),
    Part("translations", "Results: translations", "read translations and what models compute for them", "6 "),
    Part("scores", "Results: scores", "read scores, comparisons and word alignments", "7 |All scores"),
    Part("report", "Results: report", "read the numbers of tables and figures", "8 "),
    Part("jobs", "Results: files of every job", "read how an artifact was made", "What every job writes"),
)
PARTS = {
    "commands": COMMANDS,
    "corpus-file": CORPUS_FILE,
    "results": RESULTS,
    "settings": SETTINGS,
    "study-file": STUDY_FILE,
}
"""The pages of each part of the reference, in the order of the menu."""
