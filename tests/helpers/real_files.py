"""The real files of the shared mirror, under the names that the catalogue gives them."""

import tarfile
from pathlib import Path

from helpers.reader_files import tar_bytes

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig, SourceConfig

Contents = dict[str, bytes]
"""The content of files by their names or paths."""
TVSUB = "tvsub-76a07be477ea311d7ab3becfe7b264936992b20d/data"
MARUF = {"IWSLT2017": "iwslt2017", "NC-2016": "nc2016", "Europarl7": "europarl7"}


def members(archive: Path) -> Contents:
    """Return the files of a tar archive, by their paths in its first folder."""
    with tarfile.open(archive) as tar:
        files = [member for member in tar if member.isfile()]
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in files}


def real_files(mirror: Path) -> Contents:
    """Return the files of the mirror that the catalogue names, with the bytes of their first public addresses."""
    contents: Contents = {}
    for path, content in members(mirror / "maruf_en-de.tar.gz").items():
        folder, _, name = path.partition("/")
        if name.startswith("concatenated"):
            _, _, split, language = name.removesuffix(".txt").split("_")
            contents[f"maruf_{MARUF[folder]}.{split}.{language}"] = content
    contents |= {name: content for name, content in members(mirror / "iwslt15_zh-en.tar.gz").items() if "xml" in name}
    voita = members(mirror / "voita_enru_consistency.tar.gz").items()
    contents |= {f"voita.{Path(path).name}": content for path, content in voita}
    for name in ("bible_pd.tar.gz", "tvsub_zh-en.tar.gz"):
        contents[name] = (mirror / name).read_bytes()
    return contents


def archives_of_layout(mirror: Path) -> Contents:
    """Return archives of the true layout with real files, where the mirror lacks the public archive.

    The archive of IWSLT 2017 has no training text, and that of TVsub has 240 episodes in place of all.
    """
    sets = {f"en-de/{name}": content for name, content in members(mirror / "iwslt17_en-de.tar.gz").items()}
    return {"iwslt2017.en-de.tgz": tar_bytes(sets), "tvsub.tar.gz": tar_bytes(tvsub(mirror))}


def tvsub(mirror: Path) -> Contents:
    """Return the files of the commit of TVsub, as far as the mirror has them."""
    files: Contents = {}
    for path, content in members(mirror / "tvsub_zh-en.tar.gz").items():
        folder, _, name = path.partition("/")
        if folder == "train":
            files[f"{TVSUB}/orignal/train/separated/{name}"] = content
            stem, _, language = name.partition(".")
            processed = f"{stem}.np.tk.qb.es.zh" if language == "zh" else f"{stem}.qb.np.tk.lc.en"
            files[f"{TVSUB}/orignal/train/separated/{processed}"] = b"processed\n"
        elif name.startswith(("dev", "test")):
            split = name.replace("_", ".").split(".")[0]
            kind = "orignal" if "orignal" in name else "processed"
            files[f"{TVSUB}/{kind}/{split}/{name}"] = content
    return files


def write_contents(folder: Path, contents: Contents) -> Path:
    """Write files into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def without_digests(corpus: CorpusConfig) -> tuple[FileConfig, ...]:
    """Return the files of a corpus without their checksums, so that made files can stand in for them."""
    return tuple(
        FileConfig(
            name=file.name,
            sources=tuple(SourceConfig(url=source.url, member=source.member) for source in file.sources),
            line_ends=file.line_ends,
        )
        for file in corpus.files
    )
