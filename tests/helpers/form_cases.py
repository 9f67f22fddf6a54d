"""The smallest settings of each form of corpus files; a new form has a line here, and what holds for all is checked."""

PAIR = {"source": "a.zh", "target": "a.en"}
SMALLEST = {
    "combined": {"parts": [{"kind": "toy"}, {"kind": "lines", "splits": {"dev": PAIR}, "prefix": "x."}]},
    "contrapro": {"sets": {"pronouns": "a.json"}},
    "contrastive_lines": {"sets": {"pronouns": "a.current.trg"}, "details": {"pronouns": "a.json"}},
    "contrastive_table": {"sets": {"mine": "a.tsv"}},
    "discevalmt": {"sets": {"anaphora": "a.json"}},
    "eos": {"splits": {"train": PAIR}},
    "files": {"splits": {"train": {"source": "{document}.zh", "target": "{document}.en"}}},
    "iwslt_tags": {"splits": {"train": "train.tags.zh-en.{language}"}},
    "iwslt_xml": {"files": "{set}.{language}.xml", "splits": {"dev": ["dev2010"]}},
    "lines": {"splits": {"train": {**PAIR, "references": ["b.en"]}}},
    "nist_sgm": {"splits": {"test": {"source": "src.sgm", "references": ["ref.sgm"]}}},
    "opus": {"splits": {"train": {**PAIR, "ids": "a.ids"}}},
    "opus_xml": {
        "splits": {"train": {"alignments": "en-zh.xml.gz", "source": "zh.zip/x/raw", "target": "en.zip/x/raw"}}
    },
    "sacrebleu": {"splits": {"test": [{"set": "wmt17/ms", "archives": ["a.tgz", "b.zip"]}]}},
    "table": {"splits": {"train": "a.tsv"}},
    "tmx": {"splits": {"train": "a.tmx"}},
    "toy": {},
    "verses": {**PAIR, "dev": ["Ruth"], "test": ["Acts"]},
    "voita": {"sets": {"deixis_dev": "a.json"}},
    "wmt_xml": {"splits": {"test": "a.xml"}},
}
