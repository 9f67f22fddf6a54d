"""The identities of jobs, which follow from the grid, the catalogue and the user's files before anything runs."""

from functools import cached_property
from pathlib import Path

from docmt.base.asked import Asked
from docmt.base.machine import installed_version
from docmt.base.paths import CORPUS
from docmt.catalogue.files import FileConfig
from docmt.catalogue.lock import LOCK, locked_checksums
from docmt.catalogue.missing import file_of_user
from docmt.plan.jobs import GridJobs, Job
from docmt.plan.outside import FileDigests


class Identities:
    """What is asked of each job, and its identity."""

    def __init__(self, jobs: GridJobs, digests: FileDigests) -> None:
        """Remember what is asked of jobs; digests of files are read when a job needs them."""
        self.jobs, self.digests = jobs, digests
        self._asked: dict[Job, Asked] = {}
        self._versions: dict[str, str] = {}
        self._adopted: dict[Job, str] = {}

    @cached_property
    def _locked(self) -> dict[str, str]:
        """The digests of first downloads."""
        return locked_checksums(self.digests.root / LOCK)

    def asked(self, job: Job) -> Asked:
        """Return what is asked of a job. Raises UserError where the grid has no such job, or a file is missing."""
        if job not in self._asked:
            self._asked[job] = Asked(
                job=job.rule,
                settings=self.jobs.settings(job),
                inputs={role: self.identity(read) for role, read in self.jobs.inputs(job).items()},
                files={role: self._file_digest(job, role, path) for role, path in self.jobs.files(job).items()},
                libraries={name: self._version(name) for name in self.jobs.libraries(job)},
            )
        return self._asked[job]

    def identity(self, job: Job) -> str | None:
        """Return the identity of a job; None where it depends on a file that was never downloaded."""
        return self._adopted.get(job) or self.asked(job).identity

    def adopt(self, job: Job, identity: str) -> None:
        """Use the identity of outputs that fit what is known of a job whose identity is not known."""
        self._adopted[job] = identity
        # What later jobs ask for depends on this identity.
        for later in [later for later in self._asked if job in self.jobs.inputs(later).values()]:
            del self._asked[later]

    def downloads(self, corpus: str) -> dict[str, FileConfig]:
        """Return the downloads of a corpus in the catalogue, by the roles that they have for the job of the corpus."""
        return {f"downloads/{file.name}": file for file in self.jobs.grid.corpora[corpus].files}

    def download_digest(self, corpus: str, file: FileConfig, path: Path) -> str | None:
        """Return the digest that a downloaded file has, or shall have; None where nobody knows it yet.

        It is that of the catalogue, or of the file in the user's folder, which the user may have changed since, or of
        the first download, or of a file that is there.
        """
        if file.digest is not None:
            return file.digest
        local = file_of_user(file, self.jobs.grid.local.get(corpus), corpus, self.digests.root)
        if local is not None:
            return self.digests.of(local.absolute(), file)
        locked = self._locked.get(f"{corpus}/{file.name}")
        return locked or (self.digests.of(path, file) if (self.digests.root / path).is_file() else None)

    def _file_digest(self, job: Job, role: str, path: Path) -> str | None:
        """Return the digest of a file that a job reads and that is not the output of a job."""
        if job.rule != "corpus":
            return self.digests.of(path)
        corpus = self.jobs.grid.corpus_in(job.names["corpus"], CORPUS.at(**job.names))
        return self.download_digest(corpus, self.downloads(corpus)[role], path)

    def _version(self, name: str) -> str:
        """Return the version of an installed library."""
        if name not in self._versions:
            self._versions[name] = installed_version(name)
        return self._versions[name]
