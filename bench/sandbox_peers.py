"""Other sandboxes beside ours, in one run, as ratios: `python bench/sandbox_peers.py`.

Each is measured only where it is installed: `pip install agentfs-sdk`; `try` is a shell script. What each
does differs, and the table says what was timed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from eclogue.runtime.scope import World

ROUNDS = 5


def median(step: Callable[[], object]) -> float:
    """Return the median time of a step, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        step()
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def workspace(folder: Path, count: int) -> Path:
    """Make a workspace of so many small files."""
    folder.mkdir()
    for number in range(count):
        (folder / f"f{number}").write_text("content\n")
    return folder


def ours(base: Path, state: Path) -> float:
    """Return the time of a fork, a program that writes in it, and a discard."""
    with World.create(base, state) as world:
        names = iter(range(1000))

        def cycle() -> None:
            child = world.root.fork(f"fork{next(names)}")
            child.run(["sh", "-c", "echo x > written"])
            child.discard()

        return median(cycle)


def plain_copy(base: Path, folder: Path) -> float:
    """Return the time of copying the workspace, running the program in the copy, and removing it."""

    def cycle() -> None:
        shutil.copytree(base, folder)
        subprocess.run(["sh", "-c", "echo x > written"], cwd=folder, check=True)
        shutil.rmtree(folder)

    return median(cycle)


def try_tool(base: Path) -> float | None:
    """Return the time of the shell tool `try` for the same program, without a commit."""
    tool = shutil.which("try")
    if tool is None:
        return None
    command = [tool, "-n", "sh", "-c", "echo x > written"]
    return median(lambda: subprocess.run(command, cwd=base, capture_output=True, check=False))


def agentfs(folder: Path) -> float | None:
    """Return the time of opening an agentfs and writing a kilobyte, if its SDK is installed."""
    if importlib.util.find_spec("agentfs_sdk") is None:
        return None
    script = (
        "import asyncio\nfrom agentfs_sdk import AgentFS, AgentFSOptions\n"
        "async def go():\n"
        "    fs = await AgentFS.open(AgentFSOptions(id='bench'))\n"
        "    await fs.fs.write_file('/written', 'x' * 1024)\n"
        "asyncio.run(go())\n"
    )
    return median(lambda: subprocess.run([sys.executable, "-c", script], cwd=folder, check=False))


def main() -> None:
    """Print the table."""
    if os.environ.get("PYTHONHASHSEED") is None:
        os.environ["PYTHONHASHSEED"] = "0"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in (10, 2000):
            base = workspace(folder / f"base{count}", count)
            mine = ours(base, folder / f"state{count}")
            rows = {
                "eclogue: fork, program, discard": mine,
                "copytree, program, rmtree": plain_copy(base, folder / f"copy{count}"),
                "try: program": try_tool(base),
                "agentfs-sdk: start, open, write": agentfs(folder),
            }
            print(f"\n{count} files")
            for what, milliseconds in rows.items():
                told = (
                    "not installed"
                    if milliseconds is None
                    else f"{milliseconds:9.1f} ms {milliseconds / mine:7.1f} ×"
                )
                print(f"  {what:<34} {told}")


if __name__ == "__main__":
    main()
