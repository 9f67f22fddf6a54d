"""awesome-align with a small random BERT, against the equations of its paper."""

import json
import sys
from pathlib import Path

import pytest
import torch
from helpers.checkpoints import transformers

from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.scoring.alignment.links import AlignedLines, DirectedLinks
from docmt.scoring.alignment.programs import THRESHOLD, AwesomeAlign

PIECES = {
    "Katze": ["Ka", "##tze"],
    "katze": ["ka", "##tze"],
    "sitzt": ["sitzt"],
    "auf": ["auf"],
    "Matte": ["Ma", "##t", "##te"],
    "|": ["|"],
    "the": ["the"],
    "cats": ["cat", "##s"],
    "sits": ["sit", "##s"],
    "on": ["on"],
    "mat": ["[UNK]"],
}
"""Of each word, as the vocabulary makes WordPiece cut it."""

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = list(dict.fromkeys([*SPECIALS, *(piece for pieces in PIECES.values() for piece in pieces)]))
POSITIONS = 12
SOURCE = ["Katze sitzt auf Matte", "katze", "", "auf", "Matte ||| Katze", "Matte " * 4, "Matte Matte Matte sitzt"]
TARGET = ["the cats sits on the mat", "cats the", "the", " ", "mat | cats", "mat", "the " * 10]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    hf = transformers()
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 9, "num_attention_heads": 2, "intermediate_size": 24}
    config = hf.BertConfig(vocab_size=len(VOCABULARY), max_position_embeddings=POSITIONS, **sizes)
    model = hf.BertForMaskedLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "vocab.txt").write_text("".join(piece + "\n" for piece in VOCABULARY))
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))
    return folder


def states(folder: Path, line: str) -> tuple[torch.Tensor, list[int]]:
    """Of each piece but [CLS] and [SEP] its state after the eighth layer, and the place of its word."""
    hf = transformers()
    model = hf.BertModel(hf.BertConfig.from_pretrained(folder), add_pooling_layer=False)
    weights = torch.load(folder / "pytorch_model.bin", weights_only=True)
    encoder_weights = {name.removeprefix("bert."): value for name, value in weights.items() if name.startswith("bert.")}
    model.load_state_dict(encoder_weights)
    words = line.replace("|||", "|").split()
    pieces = [(piece, place) for place, word in enumerate(words) for piece in PIECES[word]]
    ids = [VOCABULARY.index(piece) for piece in ["[CLS]", *(piece for piece, _ in pieces), "[SEP]"]]
    with torch.no_grad():
        vectors = model.eval()(torch.tensor([ids]), output_hidden_states=True).hidden_states[8][0, 1:-1]
    return vectors, [place for _, place in pieces]


def by_hand(folder: Path, source: str, target: str) -> frozenset:
    """Words are linked where two of their pieces are: both softmaxes of their similarity above the threshold."""
    (source_states, words), (target_states, others) = states(folder, source), states(folder, target)
    similarity = source_states @ target_states.T
    both = torch.minimum(similarity.softmax(dim=1), similarity.softmax(dim=0))
    assert (both / THRESHOLD).log().abs().min() > 1e-3, "no pair of pieces is so near to the threshold"
    return frozenset((words[i], others[j]) for i, j in (both > THRESHOLD).nonzero().tolist())


@pytest.fixture(scope="module")
def alignment(folder) -> AlignedLines:
    return AwesomeAlign(folder).align(SOURCE, TARGET)


def test_links_are_those_of_the_paper(folder, alignment):
    fitting = (0, 1, 4, 6)
    expected = [by_hand(folder, SOURCE[n], TARGET[n]) if n in fitting else frozenset() for n in range(len(SOURCE))]
    assert alignment.lines == [DirectedLinks.symmetric(links) for links in expected]
    possible = sum(len(SOURCE[n].split()) * len(TARGET[n].split()) for n in fitting)
    assert 0 < sum(map(len, expected)) < possible, "the threshold decides"


def test_what_is_too_long_for_the_model_is_counted_in_the_signature(folder, alignment):
    model = sha256_file(folder / "pytorch_model.bin")[:12]
    assert alignment.signature == f"awesome-align,v:0.1.7,layer:8,softmax:0.001,model:{model},overlong:1"
    assert AwesomeAlign(folder).align([], []).signature == alignment.signature.removesuffix(",overlong:1")


def changed(folder: Path, copy: Path, name: str, content: str | None) -> AwesomeAlign:
    """With other content of one file, or without it."""
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).symlink_to(file)
    (copy / name).unlink()
    if content is not None:
        (copy / name).write_text(content)
    return AwesomeAlign(copy)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "tokenizer_config.json",
            None,
            r"tokenizer_config.json: file not found\n  without it awesome-align lower-cases",
        ),
        ("pytorch_model.bin", None, r"pytorch_model.bin: file not found\n  awesome-align reads no model.safetensors"),
        (
            "config.json",
            '{"num_hidden_layers": 6}',
            r"config.json: the model has too few layers\n  found 6; expected 8 or more",
        ),
        ("pytorch_model.bin", "no weights", r"pytorch_model.bin: refused: a pickle of weights that is damaged"),
    ],
    ids=["no case", "no weights", "layers", "broken"],
)
def test_a_folder_that_is_no_model_for_it_is_refused(name, content, message, folder, tmp_path):
    with pytest.raises(UserError, match=message):
        changed(folder, tmp_path / "copy", name, content).align(["auf"], ["on"])


def test_it_is_said_how_to_install_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "awesome_align.tokenization_bert", None)
    with pytest.raises(UserError, match=r"awesome-align is not installed\n  in docmt's clone: pip install .* -e '\.',"):
        AwesomeAlign(folder).align(["a"], ["b"])
