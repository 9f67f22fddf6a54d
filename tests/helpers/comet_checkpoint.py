"""A small random checkpoint of COMET, and the scores that unbabel-comet itself gives by it.

It runs in the environment of COMET: `comet_checkpoint.py make FOLDER`, `comet_checkpoint.py score FOLDER CONTEXT`.
"""

import json
import os
import sys
from pathlib import Path

POSITIONS = 34
"""Of the encoder, of which two are not for tokens."""


def make(folder: Path) -> None:
    import pytorch_lightning
    import torch
    import yaml
    from comet.models import RegressionMetric
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import XLMRobertaConfig, XLMRobertaTokenizerFast

    letters = [chr(number) for number in range(ord("a"), ord("z") + 1)]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters, *(f"▁{letter}" for letter in letters)]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    encoder = folder / "encoder"
    XLMRobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(encoder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = XLMRobertaConfig(vocab_size=len(pieces), max_position_embeddings=POSITIONS + 2, pad_token_id=1, **sizes)
    config.save_pretrained(encoder)
    torch.manual_seed(1)
    model = RegressionMetric(
        pretrained_model=str(encoder), load_pretrained_weights=False, hidden_sizes=[8], layer_norm=False
    )
    # As in a checkpoint of the Hub, the name of the encoder is one that the library would look for there.
    settings = {**model.hparams, "class_identifier": "regression_metric", "pretrained_model": "xlm-roberta-large"}
    (folder / "checkpoints").mkdir()
    (folder / "hparams.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    state = {"state_dict": model.state_dict(), "hyper_parameters": settings}
    state["pytorch-lightning_version"] = pytorch_lightning.__version__
    torch.save(state, folder / "checkpoints/model.ckpt")


def lines_with_context(document: list, place: int, context_place: int, context: int) -> list[str]:
    """The lines of one side; a context that does not fit is left out: the long sentence of the test is the first."""
    lines = []
    for number, sentence in enumerate(document):
        before = [previous[context_place] for previous in document[max(0, number - context) : number]]
        lines.append(" </s> ".join([*(text for text in before if len(text) < 100), sentence[place]]))
    return lines


def score(folder: Path, context: int) -> None:
    import torch
    import yaml
    from comet.models import RegressionMetric

    settings = yaml.safe_load((folder / "hparams.yaml").read_text(encoding="utf-8"))
    for name in ("class_identifier", "pretrained_model", "load_pretrained_weights"):
        settings.pop(name)
    model = RegressionMetric(pretrained_model=str(folder / "encoder"), load_pretrained_weights=False, **settings)
    model.load_state_dict(torch.load(folder / "checkpoints/model.ckpt", weights_only=False)["state_dict"])
    if context:
        model.enable_context()
    samples = []
    for document in json.load(sys.stdin):
        sides = [lines_with_context(document, *places, context) for places in ((0, 0), (1, 2), (2, 2))]
        samples += [dict(zip(("src", "mt", "ref"), texts, strict=True)) for texts in zip(*sides, strict=True)]
    print(json.dumps(model.predict(samples, batch_size=2, gpus=0, progress_bar=False)["scores"]))


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    make(Path(sys.argv[2])) if sys.argv[1] == "make" else score(Path(sys.argv[2]), int(sys.argv[3]))
