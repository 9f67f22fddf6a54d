"""Write the pictures of docs/how-to/read-the-report.md, from the reports of two finished runs.

    python docs/report_pictures.py STUDY CLONE [--output FOLDER]

STUDY is the study folder of docs/tutorial.md, after its last step. CLONE is a folder in which Table 4 of G-Transformer
was made at scale `smoke` (docs/how-to/add-an-ablation.md). Both have `results/`. `pictures.py` draws the screens.
"""

import argparse
import shutil
from pathlib import Path

from pictures import DOCS, HEIGHT, Screen, save, shot
from playwright.sync_api import sync_playwright

TABLE = "article.table"
SCREENS = {
    "report-table": ("study", 760, Screen("paper/people/quality.html", TABLE)),
    "report-published": ("clone", 1100, Screen("smoke/g-transformer/table4.html", TABLE)),
}
"""The pictures: the run that each comes from, the width of the window in pixels, and the screen in the report."""


def draw(runs: dict[str, Path], output: Path) -> list[Path]:
    """Write the pictures below `output`, and return their paths; `runs` are the folders of the runs by their names."""
    written = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (run, width, screen) in SCREENS.items():
            window = {"width": width, "height": HEIGHT}
            page = browser.new_page(viewport=window, color_scheme="light", offline=True)
            written.append(output / f"{name}.png")
            save(shot(page, runs[run] / "results/8_report", screen), written[-1])
        browser.close()
    return written


def main() -> None:
    """Write the pictures of the runs that the command line names, and print their sizes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study", type=Path, help="study folder of the tutorial")
    parser.add_argument("clone", type=Path, help="folder with Table 4 of G-Transformer at scale smoke")
    parser.add_argument("--output", type=Path, default=DOCS / "images", help="folder of the pictures")
    arguments = parser.parse_args()
    for path in draw({"study": arguments.study, "clone": arguments.clone}, arguments.output):
        print(f"{path.stat().st_size / 1000:6.1f} kB  {path}")


if __name__ == "__main__":
    main()
