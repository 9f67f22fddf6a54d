"""What a model does with lexical chains, against the equations written out one word at a time."""

import json
import math

import pyarrow as pa
import pytest
import torch
from helpers.command_line import succeed
from helpers.model_cases import VOCABULARY, batch_of, chains_of, documents, model_of, rows_of
from helpers.oracle_parts import Oracle, cases_of, exact_positions, framed_documents
from helpers.sizes import LEAST

from docmt.base.columns import INSIDE, SEGMENT_CHAINS, SEGMENTS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow, write_arrow
from docmt.base.vocabulary import SPECIALS, Vocabulary
from docmt.decoding.inside import InspectedDocument, inside
from docmt.models import build
from docmt.models.store import save_model
from docmt.settings.models import LexicalChainConfig
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side

CASES = cases_of("lexical_chain", "w_link")
PIECES = Vocabulary((*SPECIALS, *(f"piece{number}" for number in range(len(SPECIALS), VOCABULARY))))


class Seeing(Oracle):
    """Decodes within sentences, and notes the weights of the top cross-attention: a row a query, the mean of heads."""

    def __init__(self, model) -> None:
        super().__init__(model)
        self.noted: list[list[float]] = []

    def attention(self, name, query, group, whole):
        if name == f"decoder.{self.config.decoder_layers - 1}.cross_attention":
            q, k = self.linear(f"{name}.q", query), self.linear(f"{name}.k", group)
            size = len(q) // self.config.heads
            parts = [slice(head * size, (head + 1) * size) for head in range(self.config.heads)]
            heads = [(k[:, part] @ q[part] / math.sqrt(size)).softmax(0) for part in parts]
            self.noted.append(torch.stack(heads).mean(0).tolist())
        return self.multi_head(name, query, group)


def encoded(model, batch) -> list[list[torch.Tensor]]:
    """The source states of each document, by sentence."""
    memory = iter(model.encode(batch.source).states.split(batch.source.sentences.lengths))
    return [[next(memory) for _ in source] for source, _ in framed_documents(batch)]


@pytest.mark.parametrize("case", CASES)
def test_every_member_has_what_the_equations_say(case):
    model, (source, target) = model_of(case), documents()
    exact_positions(model)
    with torch.no_grad():
        memories = encoded(model, batch_of(case, source, target))
    latent = model.config.kind == "lexical_chain" and model.config.latent
    for number, document in enumerate(source):
        rows = rows_of([document], [target[number]])
        table = inside(model, InspectedDocument("d", rows, [0]), PIECES, PIECES)
        oracle = Seeing(model)
        framed = framed_documents(batch_of(case, [document], [target[number]]))[0]
        states = oracle.decode(framed[1], memories[number])
        weights = iter(oracle.noted)
        attention = [[next(weights) for _ in sentence] for sentence in framed[1]]
        table_rows = iter(table.to_pylist())
        flat = [(sentence, place) for sentence, words in enumerate(document) for place in range(len(words))]
        for name, chain in enumerate(chains_of(document)):
            places = [flat[member] for member in chain]
            words = torch.stack([memories[number][sentence][place + 1] for sentence, place in places])
            for (sentence, place), word in zip(places, words, strict=True):
                row = next(table_rows)
                assert (row["document"], row["chain"], row["sentence"], row["place"]) == ("d", name, sentence, place)
                assert row["piece"] == f"piece{document[sentence][place]}"
                assert row["outputs"] == [f"piece{word}" for word in target[number][sentence]] + ["</s>"]
                # A symbol stands before each sentence's words.
                assert row["attention"] == pytest.approx(
                    [weights_of_step[place + 1] for weights_of_step in attention[sentence]], abs=1e-6
                )
                if not latent:
                    assert row["alignment"] is None and row["similarity"] is None
                    continue
                queries = states[sentence] @ oracle.weights["posterior.alignment.weight.weight"]
                assert row["alignment"] == pytest.approx((queries @ word).softmax(0).tolist(), abs=1e-6)
                expected = [similarity(oracle, state, words) for state in states[sentence]]
                assert row["similarity"] == pytest.approx(expected, abs=1e-6)
        assert next(table_rows, None) is None


def similarity(oracle: Oracle, state: torch.Tensor, words: torch.Tensor) -> float:
    """Eq. 17 with the mapping of footnote 2; z is the mean of the prior, eq. 13."""
    hidden = oracle.linear("prior.hidden", words.amax(0)).clamp(min=0)
    z, query = oracle.linear("prior.mean", hidden), oracle.weights["fusion.query.weight"] @ state
    return float(0.5 * (query @ z / (query.norm() * z.norm()) + 1))


def test_segments_of_a_document_go_on_counting_its_sentences():
    source, target = documents()
    whole = inside(model_of("w_link"), InspectedDocument("d", rows_of(source[2:3], target[2:3]), [0]), PIECES, PIECES)
    parts = rows_of([source[2], source[2]], [target[2], target[2]])
    table = inside(model_of("w_link"), InspectedDocument("d", parts, [0, 4]), PIECES, PIECES)
    numbers = whole["sentence"].to_pylist()
    assert table["sentence"].to_pylist() == numbers + [number + 4 for number in numbers]
    assert len(set(table["chain"].to_pylist())) == 2 * len(set(whole["chain"].to_pylist()))


def test_drawn_latent_variables_are_the_same_each_time():
    model, (source, target) = model_of("lexical_chain"), documents()
    config = LexicalChainConfig(**{**vars(model.config), "latent_in_inference": "sample"})
    sampling = build(config, VOCABULARY, VOCABULARY).double().eval()
    sampling.load_state_dict(model.state_dict())
    document = InspectedDocument("d", rows_of(source[:1], target[:1]), [0])
    tables = [inside(network, document, PIECES, PIECES) for network in (sampling, sampling, model)]
    assert tables[0] == tables[1] != tables[2]


LETTERS = Vocabulary.from_counts({letter + ending: 1 for letter in "abcdefghij" for ending in ("", "@@")})


@pytest.fixture
def arguments(tmp_path) -> list[str]:
    """A model's folder, a view's and that of its chains; documents a, b, c, of which b has the longest chain."""
    a, b, c = (LETTERS.encode([letter])[0] for letter in "abc")
    text = PipelineConfig(source_language="en", target_language="en", input="pieces")
    TextPipeline(text, *(Side.of_pieces(LETTERS) for _ in range(2))).save(tmp_path / "model" / "text")
    config = LexicalChainConfig(**LEAST, embeddings="separate")
    save_model(tmp_path / "model", build(config, len(LETTERS), len(LETTERS)), {})
    ids = {"a": [a, b, a], "b": [c, a, c, b, c], "c": [a, a]}
    rows = []
    for name, words in ids.items():
        counts = [1, len(words) - 1]
        sides = {"source_ids": words, "source_lengths": counts, "target_ids": words, "target_lengths": counts}
        rows.append({"document": name, "first": 0, **sides})
    chains = [{"members": members, "lengths": [len(members)]} for members in ([0, 2], [0, 2, 4], [0, 1])]
    write_arrow(tmp_path / "view" / "dev.arrow", pa.Table.from_pylist(rows, SEGMENTS))
    write_arrow(tmp_path / "chains" / "dev.arrow", pa.Table.from_pylist(chains, SEGMENT_CHAINS))
    return [part for name in ("model", "view", "chains") for part in (f"--{name}", str(tmp_path / name))]


def command(*arguments: object) -> None:
    succeed("inspect", *arguments, "--device", "cpu")


def test_the_command_takes_the_document_with_the_longest_chain(arguments, tmp_path):
    command(*arguments, "--output", tmp_path / "inside.arrow")
    table = read_arrow(tmp_path / "inside.arrow", INSIDE)
    assert set(table["document"].to_pylist()) == {"b"}
    assert table["piece"].to_pylist() == ["c"] * 3
    assert list(zip(table["sentence"].to_pylist(), table["place"].to_pylist(), strict=True)) == [(0, 0), (1, 1), (1, 3)]
    assert table["outputs"].to_pylist()[0] == ["c", "</s>"]


def test_the_command_takes_a_document_by_name_and_writes_json(arguments, tmp_path):
    command(*arguments, "--document", "c", "--output", tmp_path / "inside.json")
    rows = json.loads((tmp_path / "inside.json").read_text())
    assert [row["piece"] for row in rows] == ["a", "a"] and set(rows[0]) == set(INSIDE.names)


def test_a_document_that_is_not_there_is_refused(arguments, tmp_path):
    with pytest.raises(UserError, match=r"dev.arrow: no such document\n  found d\n  valid: a, b, c"):
        command(*arguments, "--document", "d", "--output", tmp_path / "inside.json")
