"""The program that computes COMET, in an environment with unbabel-comet (pins.comet.txt), by a local checkpoint.

It follows the protocol of docs/reference/programs.md. A request has `documents`: for each document a list of sentences,
each a list of source, translation and reference; and `context`: the largest number of previous sentences that are read
with each sentence. The answer has `scores` in the order of the sentences, the `version` of the library,
`reads_references`, `cut`: the number of sentences with a text that is longer than the encoder can read, and
`less_context`: the number of sentences with less context than their document has, since more did not fit.

Another Python runs it, which may be older than that of docmt: it imports the standard library, and comet.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

SIDES = ("src", "mt", "ref")


def load_model(folder, encoder):
    """Return the model of a checkpoint: a folder with hparams.yaml and checkpoints/model.ckpt.

    `encoder` is the folder of the config.json and the tokenizer of the pretrained encoder; without it, the library
    looks for the name of the encoder in its own cache. Nothing is downloaded.
    """
    import yaml
    from comet import load_from_checkpoint

    weights = Path(folder, "checkpoints", "model.ckpt").resolve()
    if encoder is None:
        return load_from_checkpoint(str(weights), local_files_only=True)
    # The library takes the name of the encoder from hparams.yaml two folders above the weights.
    with tempfile.TemporaryDirectory() as copy:
        settings = yaml.safe_load(Path(folder, "hparams.yaml").read_text(encoding="utf-8"))
        settings["pretrained_model"] = str(Path(encoder).resolve())
        Path(copy, "hparams.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        link = Path(copy, "checkpoints", "model.ckpt")
        link.parent.mkdir()
        link.symlink_to(weights)
        return load_from_checkpoint(str(link), reload_hparams=True, local_files_only=True)


def with_context(document, number, context, separator, has_references):
    """Return the texts of a sentence, each after the previous sentences of the document, at most `context` of them.

    The context of a translation is that of its reference, as in Vernikos et al. (2022): errors of other sentences are
    not counted again. Where the metric reads no references, it is that of the translation.
    """
    before = document[max(0, number - context) : number]
    places = {"src": 0, "mt": 2 if has_references else 1, "ref": 2}
    joined = f" {separator} "
    return {
        side: joined.join([*(sentence[places[side]] for sentence in before), document[number][place]])
        for place, side in enumerate(SIDES)
    }


class Scorer:
    """A model of COMET with its options."""

    def __init__(self, model, batch, device):
        """Store the model, the number of sentences of a batch and the device: auto, cpu or cuda."""
        import torch

        self.model, self.batch = model, batch
        self.gpus = 1 if device == "cuda" or (device == "auto" and torch.cuda.is_available()) else 0
        self.has_references = bool(model.requires_references())

    def fits(self, sample):
        """Return whether the encoder can read the whole of each text of a sample."""
        tokenizer, most = self.model.encoder.tokenizer, self.model.encoder.max_positions - 2
        sides = SIDES if self.has_references else SIDES[:2]
        return all(len(tokenizer(sample[side], verbose=False)["input_ids"]) <= most for side in sides)

    def sample(self, document, number, context):
        """Return the sample of a sentence, how many sentences of context it lacks, and whether it fits."""
        separator = self.model.encoder.tokenizer.sep_token
        wanted = min(context, number)
        for count in range(wanted, -1, -1):
            sample = with_context(document, number, count, separator, self.has_references)
            if self.fits(sample):
                return sample, wanted - count, True
        return sample, wanted, False

    def answer(self, request):
        """Return the answer to a request, without its id."""
        context = request["context"]
        self.model.use_context = False
        if context:
            self.model.enable_context()
        if context and not self.model.use_context:
            return {"error": "this checkpoint cannot read context (it has no average pooling): context must be 0"}
        rows = [
            self.sample(document, number, context)
            for document in request["documents"]
            for number in range(len(document))
        ]
        samples = [sample for sample, _, _ in rows]
        scores = self.model.predict(samples, batch_size=self.batch, gpus=self.gpus, progress_bar=False)["scores"]
        return {
            "scores": [float(score) for score in scores],
            "reads_references": self.has_references,
            "cut": sum(not fits for _, _, fits in rows),
            "less_context": sum(lacking > 0 for _, lacking, _ in rows),
        }


def main():
    """Answer the requests on standard input."""
    options = argparse.ArgumentParser()
    for name in ("model", "encoder", "device"):
        options.add_argument(f"--{name}")
    options.add_argument("--batch", type=int)
    given = options.parse_args()
    # Libraries write to standard output too: what they write goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] = "1"  # no code in a checkpoint is run, whatever the library asks for
    from importlib.metadata import version

    scorer = Scorer(load_model(given.model, given.encoder), given.batch, given.device)
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"id": request["id"], "version": version("unbabel-comet"), **scorer.answer(request)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
