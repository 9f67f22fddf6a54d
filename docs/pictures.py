"""Write the pictures of the gallery and of README.md, from the report of a finished demo.

    python docs/pictures.py RUN [--scale SCALE] [--output FOLDER]

RUN is the folder of the run, in which `results/` is. Screens are drawn by Chromium, which must be installed, without a
network; figures are copied as SVG. Chinese words need a font that has them. Commit pictures of a demo at the scale
`paper`.
"""

import argparse
import io
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parent
WIDTH, HEIGHT = 1180, 900
"""The size of the browser's window, in pixels."""
COLOURS = 256
"""The colours of a picture: screens have few, and a picture of a palette is a third as large."""


@dataclass(frozen=True)
class Screen:
    """A picture of a page: `page` is its path below the folder of the report, `element` the part that is drawn.

    Without an element the picture is the top of the page. It has at most `height` pixels of either. `prepare` changes
    the page first.
    """

    page: str
    element: str | None = None
    height: int = HEIGHT
    prepare: Callable[[Page], None] = lambda page: None


def open_all(page: Page) -> None:
    """Unfold everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")


SCREENS = {
    "report": Screen("index.html"),
    "gallery/quality": Screen("index.html", "#item-quality"),
    "gallery/context": Screen("index.html", "#item-what_context_decides"),
    "gallery/attention": Screen("index.html", "#item-attention"),
    "gallery/latent": Screen("index.html", "#item-latent"),
    "gallery/documents": Screen("documents/index.html", height=780),
    "gallery/document": Screen("documents/toy_zh-en/1.html", "#translations tr:has(td mark)", 700, open_all),
    "gallery/chains": Screen("documents/toy_zh-en/1.html", "#chains", 700, open_all),
}
"""The pictures of screens, by their names below the folder of pictures."""
FIGURES = {"gallery/learning": "learning.svg", "gallery/positions": "positions.svg"}
"""The figures that are copied, by their names below the folder of pictures."""


def draw(report: Path, output: Path) -> list[Path]:
    """Write all pictures of a report below `output`, and return their paths."""
    written = [output / f"{name}.svg" for name in FIGURES]
    for path, figure in zip(written, FIGURES.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report / figure, path)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", offline=True)
        for name, screen in SCREENS.items():
            written.append(output / f"{name}.png")
            save(shot(context.new_page(), report, screen), written[-1])
        browser.close()
    return written


def shot(page: Page, report: Path, screen: Screen) -> bytes:
    """Return a picture of a screen as PNG."""
    page.goto((report / screen.page).resolve().as_uri())
    screen.prepare(page)
    box = {"x": 0, "y": 0, "width": WIDTH, "height": screen.height}
    if screen.element is not None:
        box = page.locator(screen.element).first.bounding_box()
    return page.screenshot(clip={**box, "height": min(box["height"], screen.height)}, full_page=True)


def save(picture: bytes, path: Path) -> None:
    """Write a picture with a palette of few colours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Write the pictures of the run that the command line names, and print their sizes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path, help="folder with results/ of a finished demo")
    parser.add_argument("--scale", default="paper", help="scale of the demo")
    parser.add_argument("--output", type=Path, default=DOCS / "images", help="folder of the pictures")
    arguments = parser.parse_args()
    report = arguments.run / "results/8_report" / arguments.scale / "demo"
    if not (report / "index.html").is_file():
        parser.error(f"{report} has no finished report of the demo")
    if not subprocess.run(["fc-list", ":lang=zh"], capture_output=True).stdout:
        print("no font has Chinese characters: pictures will have boxes (Debian: fonts-wqy-microhei)")
    for path in draw(report, arguments.output):
        print(f"{path.stat().st_size / 1000:6.1f} kB  {path}")


if __name__ == "__main__":
    main()
