"""What the comments of jobs in Slurm say."""

import pytest

from docmt.cluster.comments import Purpose, purpose_of, purpose_of_text


def test_a_job_of_a_rule_is_named_by_its_wildcards_in_any_order():
    comment = "docmt train system=concat_3 corpus=toy_zh-en seed=1 scale=smoke run=1f6c"
    names = (("corpus", "toy_zh-en"), ("scale", "smoke"), ("seed", "1"), ("system", "concat_3"))
    assert purpose_of(comment) == Purpose("train", names, run="1f6c")
    assert str(purpose_of(comment)) == "train toy_zh-en smoke 1 concat_3"


def test_digests_are_no_wildcards_and_signs_in_values_are_read_back():
    comment = "docmt corpus corpus=a%20b@smoke run=1f6c project=8f project2=x work=0a"
    expected = (("corpus", "a b@smoke"), ("project2", "x"))
    assert purpose_of(comment) == Purpose("corpus", expected, run="1f6c", work="0a")
    assert purpose_of_text("corpus corpus=toy") == Purpose("corpus", (("corpus", "toy"),))
    assert purpose_of_text("") is None


def test_a_value_may_have_the_sign_between_key_and_value():
    assert purpose_of("docmt corpus corpus=a=b").names == (("corpus", "a=b"),)


def test_a_group_says_how_many_jobs_it_has():
    assert purpose_of("docmt group small jobs=12 run=1f6c") == Purpose("group", group="small", jobs=12, run="1f6c")
    assert str(purpose_of("docmt group small jobs=12")) == "12 jobs of the group small"
    assert str(purpose_of("docmt group small jobs=1")) == "1 job of the group small"
    assert purpose_of("docmt group small jobs=many").jobs == 1


def test_the_comment_of_the_plugin_has_values_without_names():
    comment = "rule_train_wildcards_smoke_toy_zh-en_sentence_1"
    assert purpose_of(comment) == Purpose("train", values="smoke_toy_zh-en_sentence_1")
    assert purpose_of("rule_chain_words_wildcards_toy_bpe").rule == "chain_words"
    assert purpose_of("rule_all") == Purpose("all")


@pytest.mark.parametrize("comment", ["", "(null)", "docmt", "docmt group", "docmt corpus=a", "my own job", "overrule_"])
def test_other_comments_are_of_other_jobs(comment):
    assert purpose_of(comment) is None
