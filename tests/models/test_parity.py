"""Imported reference models against dumps of what their implementations compute: fairseq, and G-Transformer's code.

Everything goes the way of a user: a checkpoint and dictionaries on disk, `docmt import-fairseq`, the model folder. In
double precision the references agree with themselves across versions to 1e-13, so what is beyond is a difference.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.fairseq_files import write_checkpoint, write_dictionary

from docmt.api.fairseq import import_fairseq
from docmt.base.vocabulary import BOS, EOS, SEP, Vocabulary
from docmt.models.fairseq import FAMILY, parameter_names, parameter_of
from docmt.models.store import load_model
from docmt.nn.frames import frame_batch
from docmt.nn.layers import FIRST_POSITION
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.decode import DecodeConfig

CASES = (
    "transformer.postnorm_tied",
    "transformer.prenorm_tied",
    "transformer.postnorm_untied",
    "g_transformer.partial_top2",
    "g_transformer.partial_none",
    "g_transformer.full",
)
GROUPED = [case for case in CASES if case.startswith("g_")]
MASKED = [case for case in GROUPED if "partial" in case]
"""The full mode of G-Transformer's code has tags without use, and does not force sentences in its search."""
SENTENCES = [case for case in CASES if case not in GROUPED]
SEARCHED = [*MASKED, *SENTENCES]
THEIRS = {"bos": 0, "pad": 1, "eos": 2}
APPENDED = 3
"""Entries that G-Transformer's task puts at the end of a dictionary: two languages, `<mask>`."""
SMOOTHING = 0.1


@dataclass
class Reference:
    """A dump, and the model folder that its checkpoint was imported to."""

    case: str
    dump: np.lib.npyio.NpzFile
    card: dict
    folder: Path

    @property
    def grouped(self) -> bool:
        return self.case in GROUPED

    @cached_property
    def ids(self) -> np.ndarray:
        """Our id of each of their numbers, by the pieces' names."""
        vocabulary = Vocabulary.load(self.folder / "text" / "vocabulary.target.txt").pieces
        return np.array([vocabulary.index("<sep>" if name == "[tgt]" else name) for name in self.card["dictionary"]])

    def model(self, precision: str) -> torch.nn.Module:
        model = load_model(self.folder)
        if precision == "f64":
            model = model.double()
            for embedding in (model.source_embedding, model.target_embedding):
                # Tables of sines differ by 1e-7 between C libraries.
                embedding.position.table = torch.from_numpy(self.dump["const/sin_table"]).double()
        return model

    def real(self, name: str) -> np.ndarray:
        """Where a token is no padding."""
        return self.dump[f"in/{name}"] != THEIRS["pad"]

    def sentences(self, name: str) -> list[list[list[int]]]:
        """The words of each row, by sentence, in our ids."""
        rows = []
        for row in self.dump[f"in/{name}"]:
            sentences = [[]]
            for token in row[~np.isin(row, (THEIRS["bos"], THEIRS["pad"]))].tolist():
                if token == THEIRS["eos"]:
                    sentences.append([])
                elif self.card["dictionary"][token] != "[tgt]":
                    sentences[-1].append(int(self.ids[token]))
            rows.append(sentences[:-1])
        return rows

    @cached_property
    def batch(self):
        rows = Rows.from_lists(self.sentences("src_tokens"), self.sentences("target"))
        return frame_batch(rows, load_model(self.folder).config.frame)

    def of_real(self, key: str, tokens: str) -> list[list]:
        """The values of each row at real tokens."""
        return [row[real].tolist() for row, real in zip(self.dump[key], self.real(tokens), strict=True)]


def import_dump(dump, card: dict, case: str, root: Path) -> Path:
    grouped = case in GROUPED
    pieces = card["dictionary"][4 : -APPENDED if grouped else None]
    dictionary = write_dictionary(root / "dict.txt", pieces)
    stored_shapes = {name: shape for name, shape, _ in card["state_dict"]}
    weights = {
        name: torch.from_numpy(dump[f"param/{name}"]) if f"param/{name}" in dump.files else torch.zeros(shape)
        for name, shape in stored_shapes.items()
    }
    path = write_checkpoint(root / "best.pt", card["args"], weights, "args" if grouped else "cfg", zipped=not grouped)
    import_fairseq(path, (dictionary, dictionary), ("en", "de"), root / "model", case="keep")
    return root / "model"


@pytest.fixture(params=CASES, scope="module")
def reference(request, shared, tmp_path_factory) -> Reference:
    path = shared / "parity" / f"{request.param}.npz"
    if not path.is_file():
        pytest.skip(f"needs {path}")
    dump, card = np.load(path), json.loads(path.with_suffix(".json").read_text())
    return Reference(
        request.param, dump, card, import_dump(dump, card, request.param, tmp_path_factory.mktemp("import"))
    )


def logits_of(model, batch):
    return model.logits(model.decode(batch.target_in, model.encode(batch.source)))


def test_streams_are_the_reference_implementations(reference):
    """Tokens, their order and their positions: the frames closed and fairseq."""
    batch, ids = reference.batch, reference.ids
    streams = (("src_tokens", "src", batch.source), ("prev_output_tokens", "prev", batch.target_in))
    for tokens, short, stream in streams:
        expected = ids[reference.dump[f"in/{tokens}"][reference.real(tokens)]]
        assert stream.tokens.tolist() == expected.tolist()
        positions = reference.dump[f"pos/{short}"][reference.real(tokens)] - FIRST_POSITION
        assert stream.instances.positions.tolist() == positions.tolist()
    assert batch.target_out.tolist() == ids[reference.dump["in/target"][reference.real("target")]].tolist()


@pytest.mark.parametrize("precision, tolerance", [("f64", 1e-12), ("f32", 1e-5)])
def test_logits_are_the_reference_implementations(reference, precision, tolerance):
    with torch.no_grad():
        logits = logits_of(reference.model(precision), reference.batch)
    expected = reference.dump[f"{precision}/logits_BTV"][reference.real("prev_output_tokens")]
    np.testing.assert_allclose(logits.numpy()[:, reference.ids], expected, atol=tolerance, rtol=0)
    absent = np.setdiff1d(np.arange(logits.shape[1]), reference.ids)
    assert len(absent) and (logits[:, absent] == -torch.inf).all()


def smoothed_loss(reference, logits):
    """Return the loss as the toolkit of the dump defines it, with a share of the mass over V or V - 1 pieces.

    The pieces that we add have no share.
    """
    scores = logits.log_softmax(-1)
    size = len(reference.ids)
    share = SMOOTHING / (size if reference.grouped else size - 1)
    of_target = 1 - SMOOTHING - (0 if reference.grouped else share)
    target_score = scores.gather(1, reference.batch.target_out[:, None]).sum()
    return -(of_target * target_score + share * scores[:, reference.ids].sum())


@pytest.mark.parametrize("precision, tolerance", [("f64", 1e-10), ("f32", 1e-5)])
def test_gradients_are_the_reference_implementations(reference, precision, tolerance):
    model, dump = reference.model(precision), reference.dump
    smoothed_loss(reference, logits_of(model, reference.batch)).backward()
    parameters, compared = dict(model.named_parameters()), set()
    names = parameter_names(parameters)
    prefix = f"{precision}/{'grad' if reference.grouped else 'grad012'}/"
    for key in dump.files:
        name, place = parameter_of(key.removeprefix(prefix), names)
        if key.startswith(prefix) and name in parameters:
            gradient = parameters[name].grad.chunk(len(FAMILY.checkpoint_names(name)))[place].numpy()
            if len(gradient) > len(dump[key]):
                gradient = gradient[reference.ids]
            np.testing.assert_allclose(gradient, dump[key], atol=tolerance, rtol=tolerance, err_msg=name)
            compared.add((name, place))
    assert compared == {(name, place) for name, place in names.values() if name in parameters}


def by_instance(stream) -> list[list[int]]:
    """The number of the sentence of each token, from 1 on in each instance: a group tag."""
    numbers = [part.tolist() for part in stream.sentences.ids().split(stream.instances.lengths)]
    return [[number - row[0] + 1 for number in row] for row in numbers]


@pytest.mark.parametrize("reference", GROUPED, indirect=True)
def test_groups_are_the_reference_implementations(reference):
    assert by_instance(reference.batch.source) == reference.of_real("tags/src", "src_tokens")
    assert by_instance(reference.batch.target_in) == reference.of_real("tags/prev", "prev_output_tokens")


@pytest.mark.parametrize("reference", MASKED, indirect=True)
def test_who_may_attend_to_whom_is_the_reference_implementations(reference):
    """Runs of sentences are their masks of the group attention; the decoder's is causal too."""
    source, target = (by_instance(stream) for stream in (reference.batch.source, reference.batch.target_in))
    for name, queries, keys, causal in (
        ("enc_self_local", source, source, False),
        ("dec_self_local", target, target, True),
        ("cross_local", target, source, False),
    ):
        tokens = [("src_tokens", "prev_output_tokens")[runs is target] for runs in (queries, keys)]
        for row, (query, key) in enumerate(zip(queries, keys, strict=True)):
            mask = reference.dump[f"mask/{name}"][row][reference.real(tokens[0])[row]][
                :, reference.real(tokens[1])[row]
            ]
            may = [[q == k and (not causal or j <= i) for j, k in enumerate(key)] for i, q in enumerate(query)]
            assert np.array_equal(~mask, may)


def outputs_of(translation, frame) -> list[int]:
    if frame == "fairseq":
        return [token for words in translation.sentences for token in (*words, EOS)]
    outputs = [token for words in translation.sentences for token in (*words, EOS, BOS)]
    return [*outputs[:-1], SEP]


def beams(reference, row: int) -> list[tuple[list[int], float]]:
    """The reference's best hypotheses of a row: outputs and score, the best first."""
    names = [f"beam5/{row}"] if reference.grouped else [f"beam5/{row}/{rank}" for rank in (0, 1)]
    dump = reference.dump
    return [(reference.ids[dump[f"{name}/tokens"]].tolist(), float(dump[f"{name}/score"])) for name in names]


@pytest.mark.parametrize("reference", SEARCHED, indirect=True)
def test_beams_are_the_reference_implementations(reference):
    """Token for token. fairseq's maximum is that of the batch's longest source."""
    config = DecodeConfig(max_length_of="sentence" if reference.grouped else "batch")
    assert (config.beam, config.length_penalty, config.length_alpha) == (5, "average", 1.0)
    model = reference.model("f32")
    searched = beam_search(model, Rows.from_lists(reference.sentences("src_tokens")), config)
    for row, translations in enumerate(searched):
        for translation, (outputs, score) in zip(translations, beams(reference, row), strict=False):
            assert outputs_of(translation, model.config.frame) == outputs
            assert translation.normalised == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize("reference", SENTENCES, indirect=True)
def test_the_maximum_of_the_longest_source_is_fairseqs_own(reference):
    """It counts the source's end; for that row the settings are those that the reference was told."""
    row = int(reference.real("src_tokens").sum(1).argmax())
    (best,) = beam_search(
        reference.model("f32"), Rows.from_lists(reference.sentences("src_tokens")[row : row + 1]), DecodeConfig()
    )
    assert outputs_of(best[0], "fairseq") == beams(reference, row)[0][0]
