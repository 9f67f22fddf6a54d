"""Learning of SentencePiece from the counts of tokens, which are what stands between two blanks of raw text.

SentencePiece itself cuts its training text at blanks and counts what is between them, so that the counts give the same
pieces as the text. BPE is learnt from whole numbers alone, and in one thread: the same counts give the same bytes.

Departs from the library's defaults: BPE in place of a unigram model, for these bytes; no normalisation, and bytes for
characters without a piece, so that text returns as it was.
"""

import io
import re
from collections.abc import Mapping

from docmt.base.errors import UserError
from docmt.text.sentencepieces import AT, OPENS, SentencePieces

UNKNOWN = "<unk>"


def learn_pieces(counts: Mapping[str, int], pieces: int, file: str) -> SentencePieces:
    """Return the model of at most `pieces` pieces; 256 of them are bytes.

    There are fewer pieces where a small corpus has no further pair to merge. Raises UserError, whose message names the
    corpus as `file`, where frequent characters alone are more than `pieces`.
    """
    from sentencepiece import SentencePieceTrainer

    lines = (f"{word.removeprefix(OPENS).replace(AT, '@')}\t{counts[word]}" for word in sorted(counts))
    content = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=lines,
            input_format="tsv",
            model_writer=content,
            model_type="bpe",
            vocab_size=pieces + 1,  # with `<unk>`
            hard_vocab_limit=False,
            byte_fallback=True,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            num_threads=1,
            unk_id=0,
            bos_id=-1,
            eos_id=-1,
            pad_id=-1,
            unk_surface=f" {UNKNOWN} ",
            minloglevel=2,
        )
    except RuntimeError as error:
        raise _refused(str(error), pieces, file) from error
    return SentencePieces(content.getvalue())


def _refused(message: str, pieces: int, file: str) -> UserError:
    least = re.search(r"required_chars\. \d+ vs (\d+)", message)
    return UserError(
        "SentencePiece cannot be learnt",
        where=file,
        found=f"sentencepiece: {pieces} in the text" if least else message,
        expected=f"{int(least[1]) - 1} or more: 256 bytes, and each frequent character" if least else None,
        remedy="change sentencepiece in the text (texts in config.yaml)",
    )
