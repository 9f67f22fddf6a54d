"""Laws of the beam search, each against something that was written without it."""

from itertools import product

import pytest
import torch
from helpers.model_cases import documents, model_of, rows_of
from helpers.tiny import CONFIGS, FIRST_WORD, full_forward_score, next_scores, random_documents, tiny_model
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.base.vocabulary import EOS, MASK, SEP, UNK
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search, search_instances
from docmt.search.forced import forced_scores
from docmt.settings.decode import DecodeConfig

DOCUMENTS = random_documents(3, [[3, 1, 4], [2], [5, 2], [1, 1, 1, 1]])
SHORT = DecodeConfig(beam=4, max_length_a=1.0, max_length_b=3)
COUNTED = {"closed": -1, "fairseq": 1}
"""What counts for a sentence's maximum beside its source words."""

FREE = ("joined", "unmarked")
"""Frames whose number of sentences is not forced."""

models = pytest.mark.parametrize("name", CONFIGS)


def limits_of(name, source, a, b):
    counted = [max(len(words) + COUNTED.get(name, 0), 0) for words in source]
    return [int(a * pieces + b) for pieces in counted]


@pytest.mark.some(5)
@models
@pytest.mark.parametrize("penalty", ["average", "gnmt", "none"])
def test_a_beam_score_is_the_score_of_its_text(name, penalty):
    model = tiny_model(name)
    config = DecodeConfig(beam=4, max_length_a=1.0, max_length_b=3, length_penalty=penalty, length_alpha=0.6)
    for source, translations in zip(DOCUMENTS, beam_search(model, Rows.from_lists(DOCUMENTS), config), strict=True):
        assert len(translations) == 4
        for translation in translations:
            limits = limits_of(name, source, 1.0, 3)
            expected = full_forward_score(model, source, translation.sentences, limits)
            assert translation.score == pytest.approx(expected, abs=1e-5)


def greedy(model, source, limits):
    """Word by word without cache or batch, by the rules as they are told."""
    frame = model.config.frame
    total = sum(limits) + len(source) - 1
    target = [[]]
    while True:
        scores = next_scores(model, source, target)
        ends = {EOS, SEP} if frame == "joined" else {EOS}
        words = {*range(FIRST_WORD, len(scores)), UNK, *((MASK,) if frame == "closed" else ())}
        allowed = words | (ends if target[-1] else set())
        written = sum(map(len, target)) + len(target) - 1
        if frame == "joined" and written + 1 >= total:
            allowed.discard(SEP)
        if written >= total if frame in FREE else len(target[-1]) >= limits[len(target) - 1]:
            allowed = {EOS}
        best = max(allowed, key=lambda token: scores[token].item())
        if best == EOS and (frame in FREE or len(target) == len(source)):
            return target
        target = [*target, []] if best in ends else [*target[:-1], [*target[-1], best]]


@pytest.mark.some(2)
@models
def test_a_beam_of_one_is_greedy(name):
    model = tiny_model(name)
    config = DecodeConfig(beam=1, max_length_a=1.0, max_length_b=3)
    translations = beam_search(model, Rows.from_lists(DOCUMENTS), config)
    expected = [greedy(model, source, limits_of(name, source, 1, 3)) for source in DOCUMENTS]
    assert [best.sentences for (best,) in translations] == expected


@pytest.mark.some(2)
@models
def test_batch_mates_never_matter(name):
    model = tiny_model(name)
    together = beam_search(model, Rows.from_lists(DOCUMENTS), SHORT)
    for source, translations in zip(DOCUMENTS, together, strict=True):
        (alone,) = beam_search(model, Rows.from_lists([source]), SHORT)
        assert [t.sentences for t in translations] == [t.sentences for t in alone]
        assert [t.score for t in translations] == pytest.approx([t.score for t in alone], abs=1e-5)


def sequences(words, longest):
    return [list(s) for length in range(1, longest + 1) for s in product(words, repeat=length)]


def everything(frame, words):
    """Return all translations of two sentences whose maxima are 2 words or, where free, 1 (3 outputs in all)."""
    if frame not in FREE:
        return [list(pair) for pair in product(sequences(words, 2), repeat=2)]
    runs = [[run] for run in sequences(words, 3)]
    return runs + ([[[a], [b]] for a in words for b in words] if frame == "joined" else [])


@pytest.mark.some(2)
@models
def test_a_beam_as_wide_as_all_there_is_finds_everything(name):
    model = tiny_model(name, vocabulary=FIRST_WORD + 1)
    source = random_documents(5, [[2, 1]], vocabulary=FIRST_WORD + 1)
    limit = 1 if name in FREE else 2
    (translations,) = beam_search(
        model, Rows.from_lists(source), DecodeConfig(beam=150, max_length_a=0, max_length_b=limit)
    )
    words = (UNK, FIRST_WORD, *((MASK,) if name == "closed" else ()))
    possible = everything(model.config.frame, words)
    assert sorted(translation.sentences for translation in translations) == sorted(possible)

    def value(target):
        ends = len(target) * (2 if name == "closed" else 1)
        return full_forward_score(model, source[0], target, [limit] * 2) / (sum(map(len, target)) + ends)

    best = max(possible, key=value)
    assert translations[0].sentences == best
    assert translations[0].normalised == pytest.approx(value(best), abs=1e-6)


shapes = st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=1, max_size=3)


# Not shrunk: a search for every smaller example would take minutes.
@pytest.mark.some(2)
@models
@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(shapes, st.integers(1, 3), st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 3))
def test_every_output_keeps_the_rules(name, lengths, beam, seed, a, b):
    model = tiny_model(name, vocabulary=11, seed=seed)
    config = DecodeConfig(beam=beam, max_length_a=a, max_length_b=b)
    results = beam_search(model, Rows.from_lists(random_documents(seed, lengths, vocabulary=11)), config)
    for pieces, translations in zip(lengths, results, strict=True):
        limits = limits_of(name, [[0] * n for n in pieces], a, b)
        values = [translation.normalised for translation in translations]
        assert 1 <= len(translations) <= beam and values == sorted(values, reverse=True)
        for translation in translations:
            written = [len(sentence) for sentence in translation.sentences]
            others = {UNK, MASK} if name == "closed" else {UNK}
            assert all(word in others or word >= FIRST_WORD for sentence in translation.sentences for word in sentence)
            assert min(written) >= 1
            assert name != "unmarked" or len(written) == 1
            if name in FREE:
                longest = sum(limits) + len(limits) - 1
                assert sum(written) + len(written) - 1 <= longest
                assert translation.forced_ends == (sum(written) + len(written) - 1 == longest)
            else:
                assert len(written) == len(pieces)
                assert all(n <= limit for n, limit in zip(written, limits, strict=True))
                assert translation.forced_ends == sum(n == limit for n, limit in zip(written, limits, strict=True))


@models
def test_finished_instances_leave_the_batch(name, monkeypatch):
    model, seen = tiny_model(name), []
    states = model.target_states
    monkeypatch.setattr(model, "target_states", lambda cache: seen.append(len(cache.tokens)) or states(cache))
    config = DecodeConfig(beam=2, max_length_a=1.0, max_length_b=1)
    beam_search(model, Rows.from_lists(random_documents(1, [[1], [4, 4, 4, 4, 4]])), config)
    assert seen[0] == 4 and seen[-1] == 2
    assert seen == sorted(seen, reverse=True)


def test_synchronous_sentences_have_searches_of_their_own():
    """The scores of a search are those of its sentence's text; an instance joins its sentences' best translations."""
    source, _ = documents()
    model, config = model_of("w_link"), DecodeConfig(beam=3, max_length_a=1.0, max_length_b=3)
    searches = search_instances(model, rows_of(source), config)
    assert [len(sentences) for sentences in searches] == [len(document) for document in source]
    for document, sentences, (whole,) in zip(
        source, searches, beam_search(model, rows_of(source), config), strict=True
    ):
        assert whole.sentences == [translations[0].sentences[0] for translations in sentences]
        assert whole.score == pytest.approx(sum(translations[0].score for translations in sentences), abs=1e-9)
        for rank in range(3):
            texts = [translations[rank].sentences[0] for translations in sentences]
            _, forced = forced_scores(model, rows_of([document], [texts]))
            assert forced.tolist() == pytest.approx([translations[rank].score for translations in sentences], abs=1e-9)


def test_scores_that_are_no_numbers_are_refused():
    model = tiny_model("wrapped")
    with torch.no_grad():
        model.output.weight.fill_(float("nan"))
    with pytest.raises(UserError, match="no translation"):
        beam_search(model, Rows.from_lists(DOCUMENTS), SHORT)
