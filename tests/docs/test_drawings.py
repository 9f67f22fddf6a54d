"""The masks of the drawings of docs/explanation/one-attention.md are those of the papers.

The drawings measure masks on the models. The masks here follow from the papers' words: tags of tokens, windows, chains.
"""

from itertools import accumulate

import pytest
from generators import attention, masks
from helpers.support import ROOT

LARGEST = 60_000
"""The largest size of a drawing, in bytes."""


def tags(side, opening: str) -> list[int]:
    """The group tag of each token: the number of opening symbols so far (G-Transformer, section 4)."""
    return list(accumulate(token == opening for token in side.tokens))


def equal(rows: list[int], columns: list[int], causal: bool = False) -> list[list[bool]]:
    """A row reads the columns of its number and, with `causal`, none that comes later."""
    return [
        [row == column and not (causal and i < j) for j, column in enumerate(columns)] for i, row in enumerate(rows)
    ]


def of_numbers(source: list[int], target: list[int]) -> dict[str, list[list[bool]]]:
    """The three masks of a model whose tokens read those of the same number."""
    return {
        "encoder_self": equal(source, source),
        "decoder_self": equal(target, target, causal=True),
        "cross": equal(target, source),
    }


def with_itself(mask: list[list[bool]]) -> list[list[bool]]:
    """A mask with each row itself, by a residual connection."""
    return [[read or i == j for j, read in enumerate(row)] for i, row in enumerate(mask)]


def test_drawings_are_small_and_have_the_colours_of_dark_screens():
    for name in attention.DRAWINGS:
        text = (ROOT / f"docs/images/attention/{name}.svg").read_text("utf-8")
        assert len(text) < LARGEST and "prefers-color-scheme:dark" in text


def test_the_offsets_of_the_page_are_those_of_the_stream():
    page = (ROOT / "docs/explanation/one-attention.md").read_text("utf-8")
    stated = [int(number) for number in page.partition("\noffsets ")[2].partition("\n")[0].split()]
    assert masks.example("wrapped").batch.source.sentences.offsets.tolist() == stated


def test_group_attention_reads_the_tokens_of_its_tag():
    data = masks.example("wrapped")
    groups = of_numbers(tags(data.source, "<s>"), tags(data.target, "<s>"))
    everything = of_numbers([1] * len(data.source.tokens), [1] * len(data.target.tokens))
    assert masks.attentions("g_transformer", data, 0, combined_layers=1) == groups
    assert masks.attentions("g_transformer", data, 1, combined_layers=1) == everything


@pytest.mark.parametrize(
    ("instances", "frame", "opening"),
    [("SENTENCES", "wrapped", "<s>"), ("WINDOWS", "joined", "</s>"), ("DOCUMENT", "unmarked", "never")],
)
def test_the_transformer_reads_its_instance(instances, frame, opening):
    """An instance of the frame `joined` ends in `</s>`, and its decoder's input begins with `<s>`."""
    data = masks.example(frame, getattr(masks, instances))
    source = tags(data.source, opening)
    if opening == "</s>":
        source = [0, *source[:-1]]
    target = [number - (opening == "</s>") for number in tags(data.target, "never" if opening == "never" else "<s>")]
    assert masks.attentions("transformer", data, 0, frame=frame) == of_numbers(source, target)


def test_chains_and_first_symbols_read_each_other():
    data, measured = masks.example("summarised"), masks.chain_attentions(masks.example("summarised"))
    tokens, sentences = data.source.tokens, tags(data.source, "<cls>")
    chain = [[row == column == "vote" for column in tokens] for row in tokens]
    first = [[token == "<cls>" for token in tokens] for _ in tokens]
    assert measured == {
        "encoder_self": equal(sentences, sentences),
        "general": with_itself(first),
        "lexical": with_itself(chain),
    }
    wrapped = masks.example("wrapped")
    assert masks.linked_attention(wrapped) == with_itself(chain)
