"""Every address of the catalogue, played by a server: real bytes of the shared mirror, or made files of the layout."""

import dataclasses
import json
from pathlib import Path

import pytest
from helpers.catalogue_files import has_maker, make_files
from helpers.public_hosts import PublicHosts, public_hosts
from helpers.reader_files import tar_bytes, zip_bytes
from helpers.real_files import archives_of_layout, real_files, tvsub, without_digests

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig, CorpusSettings, MostShared, SplitCounts, corpus_settings, load_corpus
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.filesets import load_file_sets
from docmt.corpus.read import read_corpus
from docmt.fetching.download import fetch, wish_for
from docmt.fetching.transfer import Network

ROOT = Path(__file__).parents[2]
CORPORA = {path.stem: load_corpus(path) for path in sorted((ROOT / "workflow/corpora").glob("*.yaml"))}
GENERATED = [name for name, corpus in CORPORA.items() if has_maker(corpus) and any(f.sources for f in corpus.files)]


def network(hosts: PublicHosts) -> Network:
    return Network(hosts.stand_ins(), timeout_s=10, wait_s=0)


def get(file: FileConfig, folder: Path, hosts: PublicHosts, owner: str = "toy") -> Path:
    """Fetch a file of the catalogue, and return its path."""
    fetch(wish_for(file, owner, folder / file.name, Path("catalogue.yaml")), None, network(hosts))
    return folder / file.name


def from_source(file: FileConfig, number: int) -> FileConfig:
    """Return a file that has one of its sources alone."""
    return dataclasses.replace(file, sources=(file.sources[number],))


def generated(corpus: CorpusConfig, folder: Path) -> tuple[CorpusConfig, dict[str, bytes], dict]:
    """Return a corpus without digests, made files of its layout at each of its addresses, and the files' counts."""
    counts = make_files(corpus, folder)
    files: dict[str, bytes] = {}
    members: dict[str, dict[str, str]] = {}
    for file in corpus.files:
        content = (folder / file.name).read_bytes()
        for source in file.sources:
            if source.member is None:
                files[source.url] = content
            else:
                members.setdefault(source.url, {})[f"top/{source.member}"] = content.decode()
    files |= {url: zip_bytes(texts) for url, texts in members.items()}
    return (
        dataclasses.replace(corpus, files=without_digests(corpus), expected={}, most_shared=MostShared(1, 1)),
        files,
        counts,
    )


@pytest.mark.parametrize("name", GENERATED)
def test_every_address_of_a_corpus_gives_its_files_and_stage_1_reads_them(name, tmp_path):
    corpus, files, counts = generated(CORPORA[name], tmp_path / "made")
    with public_hosts(files) as hosts:
        for file in corpus.files:
            for number in range(len(file.sources)):
                path = get(from_source(file, number), tmp_path / f"source{number}", hosts)
                assert path.read_bytes() == (tmp_path / "made" / file.name).read_bytes()
            if not file.sources:
                (tmp_path / "source0").mkdir(exist_ok=True)
                (tmp_path / "source0" / file.name).write_bytes((tmp_path / "made" / file.name).read_bytes())
        assert hosts.asked == hosts.answered == set(files)
    settings = parse(CorpusSettings, {"version": 1, **corpus_settings(corpus)}, "settings.json")
    read_corpus(settings, tmp_path / "source0", tmp_path / "out")
    card = json.loads((tmp_path / "out/card.json").read_text())
    read = {split: (facts["documents"], facts["sentences"]) for split, facts in card["splits"].items()}
    expected = {split: tuple(numbers.values()) for split, numbers in counts.items() if "documents" in numbers}
    assert read == expected


def test_every_address_of_a_set_gives_its_file(tmp_path):
    owned = [(files_of.set, file) for files_of in load_file_sets(ROOT).values() for file in files_of.files]
    content = {source.url: source.url.encode() * 9 for _, file in owned for source in file.sources}
    with public_hosts(content) as hosts:
        for owner, file in owned:
            for number, source in enumerate(file.sources):
                plain = FileConfig(name="plain", sources=(SourceConfig(url=source.url),))
                assert get(plain, tmp_path / f"{owner}.{file.name}.{number}", hosts).read_bytes() == content[source.url]
        assert hosts.asked == hosts.answered == set(content)


def real_hosts(shared: Path) -> dict[str, bytes]:
    """Return the real bytes of the shared mirror at each address of the catalogue that has them."""
    real = real_files(shared / "mirror")
    files: dict[str, bytes] = {}
    for corpus in CORPORA.values():
        for file in corpus.files:
            for source in file.sources if file.name in real else ():
                is_raw = source.sha256 is not None or file.line_ends == "keep" or "github" in source.url
                files[source.url] = real[file.name] if is_raw else real[file.name].replace(b"\r\n", b"\n")
    return files


def test_real_files_pass_the_checksums_of_the_catalogue_from_each_address(shared, tmp_path):
    """Sources with other line ends give the same bytes, whose counts `tests/corpus/test_check.py` compares."""
    files = real_hosts(shared)
    assert len(files) >= 12 * 2 + 10 + 14, "Maruf twice, IWSLT 2015, Voita"
    with public_hosts(files) as hosts:
        for name, corpus in CORPORA.items():
            for file in corpus.files:
                there = [number for number, source in enumerate(file.sources) if source.url in files]
                paths = [get(from_source(file, number), tmp_path / f"{name}{number}", hosts) for number in there]
                assert len({path.read_bytes() for path in paths}) <= 1
        assert hosts.answered == set(files)


@pytest.mark.slow
def test_archives_of_the_true_layout_go_through_stage_1(shared, tmp_path):
    """The mirror lacks the public archives; what is packed here has other digests, which the catalogue refuses."""
    archives = archives_of_layout(shared / "mirror")
    tv = CORPORA["tvsub_zh-en"]
    files = {source.url: archives["tvsub.tar.gz"] for source in tv.files[0].sources}
    with public_hosts(files) as hosts:
        with pytest.raises(UserError, match=r"other content in the archive: .*separated"):
            get(tv.files[0], tmp_path / "refused", hosts)
        known = {path: value for path, value in tv.files[0].git_objects.items() if "separated" not in path}
        file = dataclasses.replace(tv.files[0], git_objects=known)
        get(file, tmp_path / "downloads", hosts)
    counts = {**tv.expected, "train": SplitCounts(240, 227_089)}
    corpus = dataclasses.replace(tv, files=(file,), expected=counts)
    settings = parse(CorpusSettings, {"version": 1, **corpus_settings(corpus)}, "settings.json")
    read_corpus(settings, tmp_path / "downloads", tmp_path / "out")
    card = json.loads((tmp_path / "out/card.json").read_text())
    assert card["files"][0]["digest"].startswith("git_objects:")


def test_a_tarball_has_the_same_digest_however_it_is_packed(shared, tmp_path):
    content = tvsub(shared / "mirror")
    few = {path: text for path, text in content.items() if "separated" not in path}
    tv = CORPORA["tvsub_zh-en"].files[0]
    known = {path: value for path, value in tv.git_objects.items() if "separated" not in path}
    file = dataclasses.replace(tv, git_objects=known, sources=tv.sources[:1])
    digests = set()
    for number, order in enumerate((few, dict(reversed(few.items())))):
        with public_hosts({file.sources[0].url: tar_bytes(order)}) as hosts:
            get(file, tmp_path / str(number), hosts)
        read = parse(CorpusSettings, _settings(file, few), "settings.json")
        read_corpus(read, tmp_path / str(number), tmp_path / f"out{number}")
        digests.add((tmp_path / f"out{number}/card.json").read_bytes())
    assert len(digests) == 1, "no artifact depends on how a server packs the archive"


def _settings(file: FileConfig, files: dict[str, bytes]) -> dict:
    """Return the settings of stage 1 for the dev set of TVsub alone."""
    source = next(path for path in files if path.endswith("dev.orignal.zh"))
    target = next(path for path in files if path.endswith("dev.orignal.en"))
    reader = {"kind": "lines", "archive": file.name, "splits": {"dev": {"source": source, "target": target}}}
    facts = {"corpus": "dev", "source_language": "zh", "target_language": "en", "licence": "l", "citation": "c"}
    listed = [{"name": file.name, "git_objects": file.git_objects}]
    return {"version": 1, **facts, "expected": {}, "files": listed, "contrastive": False, "reader": reader}


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("https://drive.usercontent.google.com/download?id=1&export=download&confirm=t", "Quota exceeded"),
        ("https://drive.usercontent.google.com/download?id=1", "Virus scan warning"),
        ("https://fbk.sharepoint.com/sites/a/download.aspx?SourceUrl=b", "a redirect to a login"),
        ("https://huggingface.co/datasets/none/resolve/main/a", "HTTP 404"),
    ],
)
def test_hosts_that_do_not_give_the_file(tmp_path, address, why):
    with public_hosts({"https://huggingface.co/a": b"x"}) as hosts:
        file = FileConfig(name="2015-01.tgz", sources=(SourceConfig(url=address),))
        with pytest.raises(UserError, match=why):
            get(file, tmp_path, hosts)
    assert list(tmp_path.iterdir()) == []
