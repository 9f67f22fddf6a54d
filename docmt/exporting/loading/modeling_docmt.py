"""The loading file of a model of docmt for the library transformers.

from transformers import AutoModel

model = AutoModel.from_pretrained(FOLDER, trust_remote_code=True)
print(model.translate([["A sentence.", "The next sentence of this document."]]))
"""

from pathlib import Path
from typing import Any

from transformers import PretrainedConfig, PreTrainedModel

try:
    import docmt
except ImportError as problem:
    raise ImportError(
        "This model needs docmt, which is not installed: in the folder of its source code, run "
        "`pip install -c pins.txt -e .`"
    ) from problem

DOWNLOADS = ("revision", "cache_dir", "token", "local_files_only")


class DocmtConfig(PretrainedConfig):
    """The content of config.json; `decoding` has the settings of the search."""

    model_type = "docmt"


class DocmtModel(PreTrainedModel):
    """A model of docmt: `network` computes, and `translate` translates documents as `docmt translate` does."""

    config_class = DocmtConfig

    def __init__(self, config: DocmtConfig, opened: Any) -> None:
        """Take a model that `docmt.open_model` has opened."""
        super().__init__(config)
        self.opened, self.network = opened, opened.trained.network

    @classmethod
    def from_pretrained(cls, name: str, *_: Any, config: DocmtConfig | None = None, **options: Any) -> "DocmtModel":
        """Load the model from a folder, or from the repository `name` of the Hub.

        Of the `options`, those on the download are used: `revision`, `cache_dir`, `token` and `local_files_only`.
        """
        folder = Path(name)
        if not folder.is_dir():
            from huggingface_hub import snapshot_download

            folder = Path(snapshot_download(name, **{key: options[key] for key in DOWNLOADS if key in options}))
        return cls(config or DocmtConfig.from_pretrained(folder), docmt.open_model(folder, device="cpu"))

    def translate(self, documents: list[list[str]], **settings: Any) -> list[list[str]]:
        """Return the lines of each document's translation; a document is a list of sentences in plain text.

        `settings` are those of `docmt.open_model(...).translate`, such as `beam`; config.json has their defaults.
        """
        translated = self.opened.translate(documents, **{**self.config.decoding, **settings})
        return [list(document.lines) for document in translated]

    def forward(self, batch: Any) -> Any:
        """Return the states and the additional losses of a batch of docmt."""
        return self.network(batch)
