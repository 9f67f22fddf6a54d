"""The download of a file: its places are tried in order until one gives the right content.

A download gets its final name when it is complete and checked. What an interrupted run received stays in
`<output>.part`, and the next run downloads the rest. The note beside a download (`.<name>.source.json`) says where it
came from; a file without a note was put there by a person, and is never replaced.
"""

import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import read_object_if_there, write_json
from docmt.base.digests import BYTES_AT_ONCE, kind_of, known_sha256, named_digest, value_of
from docmt.base.errors import UserError
from docmt.base.foreign import first_line, is_of_disk, naming
from docmt.catalogue.checksums import Mismatch, content, file_digest, wrong_bytes, wrong_content
from docmt.catalogue.files import FileConfig
from docmt.catalogue.filesets import FOLDER, FileSetConfig
from docmt.catalogue.lock import LOCK, locked_checksums, place_in_lock, record_first
from docmt.catalogue.missing import is_source, local_path
from docmt.fetching.content import wrong_kind
from docmt.fetching.transfer import Network, Origin, SourceFailed, WrongContent, forget, origins, transfer


@dataclass(frozen=True)
class Wish:
    """A file that is to be there."""

    file: FileConfig
    owner: str  # The name of the corpus or set that the file belongs to.
    output: Path
    # Its digest, in the form of `FileConfig.digest`, where the catalogue does not state it; None = nobody knows it yet,
    # or the catalogue states it.
    expected: str | None = None
    stated_at: str = ""  # The place where the digest is stated, for messages.
    user_file: Path | None = None  # The path of the user's own file; None = the user has none.

    @property
    def key(self) -> str:
        """The name of the file in messages and in the lock file."""
        return f"{self.owner}/{self.file.name}"

    @property
    def part(self) -> Path:
        """The path of the bytes that were received so far."""
        return self.output.with_name(f"{self.output.name}.part")


def wish_for(
    file: FileConfig, owner: str, output: Path, catalogue: Path, lock: Path | None = None, user_file: Path | None = None
) -> Wish:
    """Return the wish for a file of the catalogue's file `catalogue`, with the digest that the file shall have.

    Raises UserError for a damaged lock file.
    """
    key, locked = f"{owner}/{file.name}", locked_checksums(lock) if lock is not None else {}
    if file.digest is not None:
        return Wish(file, owner, output, None, str(catalogue), user_file)
    # Without a digest of the catalogue, it is that of the user's file, which the user may change, or of the first
    # download.
    if user_file is not None:
        return Wish(file, owner, output, file_digest(user_file, file), str(user_file), user_file)
    if key in locked:
        return Wish(file, owner, output, locked[key], place_in_lock(str(lock), key))
    return Wish(file, owner, output)


def fetch(wish: Wish, mirror: str | None = None, network: Network | None = None) -> None:
    """Get a file from the user's own folder, the mirror or the sources of the catalogue, in this order.

    Raises UserError where no place gives the file, and where a person has put another file in its place.
    """
    if wish.output.exists() and _is_there(wish):
        return
    wish.output.parent.mkdir(parents=True, exist_ok=True)
    failures: list[tuple[str, SourceFailed]] = []
    for origin in origins(wish.file, mirror, wish.user_file):
        try:
            ready = _obtained(origin, wish, network or Network())
        except SourceFailed as failure:
            failures.append((origin.place, failure))
            continue
        write_json(note_of(wish.output), {"source": origin.place, "sha256": known_sha256(ready)})
        # The file gets its final name last, so that a file with the final name is always complete and checked.
        ready.replace(wish.output)
        forget(wish.part)
        return
    raise _all_failed(wish, failures)


def source_of(output: Path) -> str | None:
    """Return the place from which docmt got a file that is there; None where a person put the file there."""
    note = read_object_if_there(note_of(output), "source", "sha256")
    return note["source"] if note and note["sha256"] == known_sha256(output) else None


def note_of(output: Path) -> Path:
    """Return the path of the note that says where a download came from."""
    return output.with_name(f".{output.name}.source.json")


def _is_there(wish: Wish) -> bool:
    """Return whether the file is right; False for one that docmt may replace. Raises UserError for a wrong one."""
    kind, difference = wrong_kind(wish.output, wish.file.name), _difference(wish.output, wish)
    if kind is None and difference is None:
        return True
    if source_of(wish.output) is not None:
        return False
    raise UserError(
        "the file that a person put here is not the one that is expected",
        where=str(wish.output),
        found=kind or difference,
        expected=f"what {wish.stated_at} states" if wish.stated_at else None,
        remedy="remove the file, and docmt downloads it; or change what is stated there, to use this file",
    )


def _difference(path: Path, wish: Wish) -> Mismatch | None:
    wrong = wrong_content(path, wish.file)
    if wrong or wish.expected is None:
        return wrong
    actual = file_digest(path, wish.file, kind_of(wish.expected))
    if actual == wish.expected:
        return None
    return Mismatch("wrong checksum", named_digest(actual), value_of(wish.expected))


def _obtained(origin: Origin, wish: Wish, network: Network) -> Path:
    """Return the path of the checked file from one place, not yet with its final name. Raises SourceFailed."""
    resumed = wish.part.exists()
    try:
        return _checked(origin, wish, network)
    except WrongContent:
        if not resumed:
            raise
    # The part of an earlier run may be the beginning of a different file: the download starts again, without a part.
    return _checked(origin, wish, network)


def _checked(origin: Origin, wish: Wish, network: Network) -> Path:
    """Get the bytes of a place and check them; a wrong content is removed. Raises SourceFailed."""
    if origin.is_remote:
        has_checksum = any((wish.expected, wish.file.digest, origin.checksums.stated))
        transfer(origin.place, wish.part, has_checksum, network)
    else:
        _copy(origin.place, wish.part)
    ready = wish.part
    member, converted = (wish.part.with_name(f"{wish.part.name}.{what}") for what in ("member", "lf"))
    try:
        _need(wrong_bytes(wish.part, origin.checksums))
        if origin.member is not None:
            ready = member
            extract_member(wish.part, origin.member, ready)
        _need(wrong_kind(ready, wish.file.name))
        if wish.file.line_ends == "lf":
            write_content(ready, converted, "lf")
            ready = converted
        _need(_difference(ready, wish))
    except (WrongContent, UserError) as problem:  # a UserError is about a damaged archive
        for path in (member, converted):
            path.unlink(missing_ok=True)
        forget(wish.part)
        if isinstance(problem, UserError):
            raise WrongContent(f"{problem.what}: {problem.found}") from None
        raise
    return ready


def _need(wrong: Mismatch | str | None) -> None:
    if wrong is not None:
        raise WrongContent(str(wrong))


def _copy(place: str, part: Path) -> None:
    path = local_path(place)
    if not is_source(path):
        raise SourceFailed("no such file")
    forget(part)
    try:
        write_content(path, part)
    except OSError as problem:
        forget(part)
        raise SourceFailed(problem.strerror or str(problem)) from None


def _all_failed(wish: Wish, failures: list[tuple[str, SourceFailed]]) -> UserError:
    file = wish.file
    other = any(isinstance(failure, WrongContent) for _, failure in failures)
    digest = wish.expected or file.digest
    known = f" ({named_digest(digest)}, which {wish.stated_at} states)" if digest else ""
    manual = (
        f"put the file{known} at {wish.output} and run again, or set mirror=FOLDER, a folder or URL that holds"
        f" {file.name}"
    )
    return UserError(
        "no source gave the right file; what they gave was removed" if other else "no source gave the file",
        where=wish.key,
        found="".join(f"\n    {place}: {failure}" for place, failure in failures) or "no source in the catalogue",
        remedy=f"{' '.join(file.obtain.split())} Then {manual}." if file.obtain else f"By hand: {manual}.",
    )


def extract_member(archive: Path, member: str, output: Path) -> None:
    """Write the member of a zip whose path is `member`, or ends in it, to `output`.

    Raises WrongContent where the file is no zip, and where it has no such member or several.
    """
    try:
        with zipfile.ZipFile(archive) as zipped:
            paths = [name for name in zipped.namelist() if name == member or name.endswith(f"/{member}")]
            if len(paths) != 1:
                raise WrongContent(f"the zip has {len(paths)} members {member}, expected one")
            with zipped.open(paths[0]) as stored, naming(output), output.open("wb") as stream:
                shutil.copyfileobj(stored, stream, BYTES_AT_ONCE)
    except WrongContent:
        raise
    except Exception as problem:
        # For a damaged zip the library raises errors of many classes.
        if is_of_disk(problem):
            raise
        raise WrongContent(f"not a zip, or damaged: {first_line(problem)}") from None


def write_content(path: Path, output: Path, line_ends: str = "keep") -> None:
    """Write a file with other line ends to `output`, or a tar of the files of a folder; see `content`."""
    with naming(output), output.open("wb") as stream:
        stream.writelines(content(path, line_ends))


def fetch_set(
    config: FileSetConfig, root: Path, network: Network, mirror: str | None = None, folder: Path | None = None
) -> Path:
    """Download the files of a set that are not there, and return their folder.

    `root`: the folder of the project. `folder`: the folder of the files in place of the set's own. Raises UserError
    where no source gives a file.
    """
    output, lock = folder or root / config.folder, root / LOCK
    for file in config.files:
        catalogue = FOLDER / f"{config.set}.yaml"
        fetch(wish_for(file, config.set, output / file.name, catalogue, lock), mirror, network)
    # Digests that nobody states are recorded once all files are there.
    unknown = {file.name: file_digest(output / file.name, file) for file in config.files if file.digest is None}
    record_first(lock, {f"{config.set}/{name}": digest for name, digest in unknown.items()})
    return output
