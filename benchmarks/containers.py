"""Build what containers/ describes, without a registry and without Docker or Apptainer, and run the demo in it.

python benchmarks/containers.py FOLDER dockerfile|definition [TORCH]

debootstrap makes the base image from Debian's packages, and buildah builds on it as root, in a chroot. The sections of
containers/docmt.def are run in a container of buildah as Apptainer runs them. The settings of pip on this machine reach
the build alone. TORCH is the argument of the image; without it, torch comes from the indices of pip. All images and
results are in FOLDER. A line is printed for each step, with its seconds, and for the size of the image.
"""

import ast
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
MIRROR = "http://deb.debian.org/debian"
BASE, IMAGE = "localhost/debian", "localhost/docmt"
CERTIFICATES = "/run/certificates.crt"
USER = "12345:12345"
"""The user who runs the demo, whom the image does not know."""
DEMO = ("snakemake", "--cores", "all", "demo", "--config", "scale=smoke")
REPORT = "results/report@smoke.html"


def step(name: str, command: Sequence[str | Path]) -> str:
    """Run a command, print its name and seconds, and return its output without the last line break."""
    began = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        said = (done.stdout + done.stderr)[-8000:]
        sys.exit(f"{name}: {' '.join(map(str, command))} ended with status {done.returncode}\n{said}")
    print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    return done.stdout.strip()


class Images:
    """The images in a folder, and the containers that run on them."""

    def __init__(self, folder: Path) -> None:
        """Make the base image, unless it is there."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.buildah = ["buildah", "--root", folder / "storage", "--runroot", folder / "run"]
        if not (folder / "base").exists():
            step("debootstrap", ["debootstrap", "--variant=minbase", "bookworm", folder / "base", MIRROR])
            container = step("an empty container", [*self.buildah, "from", "scratch"])
            step("copy of the base", [*self.buildah, "add", "-q", container, folder / "base", "/"])
            step("base image", [*self.buildah, "commit", "-q", "--rm", container, BASE])

    def of_dockerfile(self, torch: str) -> str:
        """Build the Dockerfile, and return a container with its image."""
        secret = ["--secret", f"id=pip.conf,src={self.folder / 'pip.conf'}"]
        arguments = ["--build-arg", f"BASE_IMAGE={BASE}", "--build-arg", f"TORCH={torch}"]
        files = ["--ignorefile", ".dockerignore", "-f", "containers/Dockerfile"]
        build = [*self.buildah, "build", "--isolation", "chroot", "--pull-never", "-t", IMAGE]
        step("build of the Dockerfile", [*build, *files, *arguments, *secret, *self.pip_volumes(), "."])
        return step("container", [*self.buildah, "from", "--pull-never", IMAGE])

    def of_definition(self, torch: str) -> str:
        """Do what Apptainer does with containers/docmt.def, and return the container."""
        container = step("container", [*self.buildah, "from", "--pull-never", BASE])
        for line in sections()["files"].strip().splitlines():
            source, target = line.split()
            # A copied folder must not bring what .dockerignore leaves out of the other image.
            step(f"copy of {source}", [*self.buildah, "add", "-q", container, source, target])
        volumes = [*self.pip_volumes(), "--volume", f"{self.folder / 'pip.conf'}:/etc/pip.conf:ro"]
        post = sections(TORCH=torch)["post"]
        step("%post", [*self.run(container, *volumes), "sh", "-e", "-c", post])
        step("%test", [*self.run(container), "sh", "-e", "-c", sections()["test"]])
        return container

    def run(self, container: str, *options: str | Path) -> list[str | Path]:
        """Return the beginning of a command line in a container."""
        return [*self.buildah, "run", "--isolation", "chroot", *options, container, "--"]

    def run_demo(self, container: str, entry: Sequence[str]) -> None:
        """Run the demo at scale smoke in an empty folder, by the entry point of the image, and check its report."""
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        shutil.chown(work, *map(int, USER.split(":")))
        step("demo", [*self.run(container, "--user", USER, "--volume", f"{work}:/work"), *entry, *DEMO])
        print(f"report: {(work / REPORT).stat().st_size} bytes, of user {(work / REPORT).stat().st_uid}")

    def print_size(self, container: str) -> None:
        """Print the size of the files of a container."""
        size = "du -sxm --exclude=/proc --exclude=/sys --exclude=/work / | cut -f1"
        print("size in MB:", step("size", [*self.run(container, "--user", "0"), "sh", "-c", size]))

    def pip_volumes(self) -> list[str]:
        """Write this machine's settings of pip into a file, and return options that mount the files they name."""
        listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
        stated = re.findall(r"^\S+?\.([a-z-]+)=(.*)$", listed.stdout, re.MULTILINE)
        settings, volumes = {}, {}
        for name, value in ((name, ast.literal_eval(value)) for name, value in stated):
            words = [word for word in value.split() if not word.startswith("file:")]
            volumes |= {word: CERTIFICATES if name == "cert" else word for word in words if Path(word).exists()}
            settings[name] = " ".join(volumes.get(word, word) for word in words)
        lines = [f"{name} = {value}\n" for name, value in settings.items() if value]
        (self.folder / "pip.conf").write_text("".join(["[global]\n", *lines]), encoding="utf-8")
        return [word for path, target in volumes.items() for word in ("--volume", f"{path}:{target}:ro")]


def sections(**arguments: str) -> dict[str, str]:
    """Return the sections of containers/docmt.def, by name; arguments have the stated values, or those of the file."""
    _, *parts = re.split(r"^%(\w+)\n", (ROOT / "containers/docmt.def").read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    values = dict(re.findall(r"^ +(\w+)=(.*)$", texts["arguments"], re.MULTILINE)) | arguments
    return {name: re.sub(r"{{ (\w+) }}", lambda name: values[name[1]], text) for name, text in texts.items()}


if __name__ == "__main__":
    folder, kind, *torch = sys.argv[1:]
    images = Images(Path(folder).absolute())
    if kind == "dockerfile":
        container = images.of_dockerfile(*torch or [""])
        entry = ["/opt/docmt/containers/run.sh"]
    else:
        container = images.of_definition(*torch or [""])
        parts = sections()
        # Apptainer gives its containers the home and the name of the user.
        run = f"export HOME=/work USER=somebody\ncd /work\n{parts['environment']}\n{parts['runscript']}"
        entry = ["sh", "-e", "-c", run, "sh"]
    images.print_size(container)
    images.run_demo(container, entry)
