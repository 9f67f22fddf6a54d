"""The text of an exported model: a sentence becomes pieces, and the pieces of a translation become plain text.

The files of the folder `text/` are those of docmt: BPE merges of subword-nmt or a model of SentencePiece, vocabularies
with a piece on each line, and for a truecased side the counts of words. The steps are those of docmt, so that the
pieces are the same.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>", "<sep>", "<mask>", "<cls>")
UNKNOWN = "<unk>"
CONTINUES = "@@"


class Spaces:
    """The tokenizer of text that another tool has cut into pieces: it cuts at white space."""

    def tokenize(self, sentence: str) -> list[str]:
        """Return the parts of a sentence between white space."""
        return sentence.split()

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Return the tokens joined by single spaces."""
        return " ".join(tokens)


class TextSide:
    """The source or the target side of a text."""

    def __init__(self, folder: Path, name: str) -> None:
        """Read the files of side `name`, "source" or "target", from the folder `text/`."""
        self.settings: dict[str, Any] = json.loads((folder / "text.json").read_text(encoding="utf-8"))
        self.language = self.settings[f"{name}_language"]
        with (folder / f"vocabulary.{name}.txt").open(encoding="utf-8", newline="\n") as lines:
            self.vocabulary = frozenset(line.removesuffix("\n") for line in lines)
        self.is_cut = self.settings["input"] == "pieces"
        self.tokenizer = self._tokenizer()
        self.truecaser = self._truecaser(folder / f"truecase.{name}.json")
        self.model = self._model(folder / f"sentencepiece.{name}.model")
        self.segmenter = None if self.is_cut or self.model else self._segmenter(folder / f"codes.{name}")

    def pieces(self, sentence: str) -> list[str]:
        """Return the pieces of a sentence of plain text; a piece that the vocabulary lacks becomes `<unk>`."""
        tokens = self.tokenizer.tokenize(sentence)
        if self.is_cut:
            pieces = [UNKNOWN if token in SPECIALS else token for token in tokens]
        elif self.model:
            pieces = [piece for token in tokens for piece in self.model.pieces(token)]
        else:
            pieces = self.segmenter.segment_tokens(self._cased(tokens))
        return [piece if piece in self.vocabulary else UNKNOWN for piece in pieces]

    def text(self, pieces: Iterable[str]) -> str:
        """Return the plain text of the pieces of a translation."""
        names = [piece for piece in pieces if piece == UNKNOWN or piece not in SPECIALS]
        if self.model:
            return self.tokenizer.detokenize(self.model.join(names))
        tokens = " ".join([*names, ""]).replace(f"{CONTINUES} ", "").split()
        return self.tokenizer.detokenize(self.truecaser.restore(tokens) if self.truecaser else tokens)

    def _cased(self, tokens: list[str]) -> list[str]:
        if self.truecaser:
            return self.truecaser.apply(tokens)
        return [token.lower() for token in tokens] if self.settings["case"] == "lower" else tokens

    def _tokenizer(self) -> Any:
        """Return the tokenizer of the language; its library is imported here, since the other side may need another."""
        if self.is_cut:
            return Spaces()
        if self.settings.get("sentencepiece"):
            from sentencepieces import RawText

            return RawText()
        if self.settings["join"] == "reversible":
            from reversible import Reversible

            return Reversible(self._chinese().tokenize if self.language == "zh" else None)
        if self.language == "zh":
            return self._chinese()
        from moses import Moses

        return Moses(self.language, self.settings["normalise"], self.settings["aggressive"])

    def _chinese(self) -> Any:
        from chinese import Chinese

        return Chinese(self.settings["chinese"])

    def _truecaser(self, path: Path) -> Any:
        from truecase import FrequentCase

        return FrequentCase(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None

    def _model(self, path: Path) -> Any:
        if not self.settings.get("sentencepiece"):
            return None
        from sentencepieces import SentencePieces

        return SentencePieces(path.read_bytes())

    def _segmenter(self, path: Path) -> Any:
        """Return the merges; with a threshold, pieces outside the vocabulary are cut again."""
        from subword_nmt.apply_bpe import BPE

        with path.open(encoding="utf-8", newline="\n") as codes:
            merges = sum(1 for _ in codes) - 1
            codes.seek(0)
            known = set(self.vocabulary) if self.settings["threshold"] else None
            return BPE(codes, merges=merges, separator=CONTINUES, vocab=known)
