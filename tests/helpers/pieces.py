"""Small tokenizers of the three kinds that pretrained checkpoints have, learnt from the small corpus."""

from pathlib import Path

from helpers.small_corpus import PAIRS
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

LANGUAGE_CODES = ["en_XX", "zh_CN"]
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
BERT_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXTS = [sentence for pair in PAIRS for sentence in pair]


def sentencepiece() -> Tokenizer:
    """As mBART's: Unigram after a cut at spaces, language codes at the end."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    special = SPECIALS[:-1]
    tokenizer.train_from_iterator(
        TEXTS, trainers.UnigramTrainer(vocab_size=150, special_tokens=special, unk_token="<unk>", show_progress=False)
    )
    tokenizer.add_special_tokens([*LANGUAGE_CODES, "<mask>"])
    tokenizer.post_processor = processors.TemplateProcessing("$A </s> en_XX", None, [("</s>", 2), ("en_XX", 5)])
    tokenizer.enable_truncation(5)
    return tokenizer


def byte_level() -> Tokenizer:
    """As BART's: a first word has no space before it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=330, special_tokens=SPECIALS, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def wordpiece() -> Tokenizer:
    """As that of a cased BERT."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=150, special_tokens=BERT_SPECIALS, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


TOKENIZERS = {"mbart": sentencepiece, "bart": byte_level, "bert": wordpiece}
"""By the kind of checkpoint."""


def write_tokenizer(kind: str, folder: Path) -> Tokenizer:
    """Write a folder's tokenizer.json."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = TOKENIZERS[kind]()
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer
