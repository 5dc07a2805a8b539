"""How a page grows with its run: `python bench/viewing.py`.

For runs of so many records: seconds to write the page, its size, and, where Chromium is there, seconds
until its script has run (`opened`) beside those of an empty page (`empty`), the browser's own start.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from eclogue.cli.viewing.data import Shown, document_of
from eclogue.cli.viewing.page import page_of
from eclogue.core.outcomes import HostAnswer
from eclogue.core.run import run
from eclogue.lowering.load import load_program

SIZES = (100, 1_000, 10_000)
SOURCE = """effect host {{ reversible ctl ask(text: Text): Int }}
task main(): Int / {{host}} {{
  repeat {rounds} with x = 0 {{ let a = perform host.ask("again"); return x + a }}
}}
"""


def shown(folder: Path, records: int) -> Shown:
    """Return a run of about so many records."""
    path = folder / f"run{records}.ecl"
    path.write_text(SOURCE.format(rounds=records // 2), encoding="utf-8")
    program = load_program(path)
    done = run(program, [HostAnswer(1)] * (records // 2))
    lines = [(n, r, ref, span) for (n, r, span), ref in zip(done.records(), done.refs(), strict=True)]
    return Shown(path.stem, lines, program, path.read_text(encoding="utf-8"))


def opened(page: Path, where: str = "") -> float | None:
    """Return the seconds that Chromium takes to open a page and run its script."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    command = [
        chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={page.parent / 'profile'}", "--dump-dom", f"{page.as_uri()}{where}",
    ]  # fmt: skip
    began = time.perf_counter()
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        empty = folder / "empty.html"
        empty.write_text("<!doctype html><title>empty</title>")
        opened(empty)
        print(f"{'records':>8} {'written':>9} {'bytes':>10} {'opened':>8} {'empty':>7}")
        for records in SIZES:
            one = shown(folder, records)
            began = time.perf_counter()
            text = page_of(document_of([one]), "bench")
            seconds = time.perf_counter() - began
            page = folder / f"page{records}.html"
            page.write_text(text, encoding="utf-8")
            times = [opened(page, f"#{records - 10}"), opened(empty)]
            told = [f"{each:7.2f}s" if each is not None else "      –" for each in times]
            print(f"{len(one.records):>8} {seconds:8.2f}s {len(text):>10} {told[0]} {told[1]}")


if __name__ == "__main__":
    main()
