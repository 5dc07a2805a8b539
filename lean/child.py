"""The child process in which Lean runs: set limits, then become Lean.

Not a module to import: `python -I -S child.py KIND PATH ADDRESS_SPACE FILE_SIZE ARGUMENT...`, where KIND is
`executable` (run the file in this process's place) or `library` (load it and call its `lean_main`), and the
two sizes are limits in bytes, 0 for none. It stands alone, so that it starts fast and loads nothing else.
"""

from __future__ import annotations

import ctypes
import os
import sys


def _limit(address_space: int, file_size: int) -> None:
    """Set the limits where the system knows them, and never leave a core file behind."""
    try:
        import resource
    except ImportError:
        return
    wanted = [(resource.RLIMIT_CORE, 0)]
    if address_space:
        wanted.append((resource.RLIMIT_AS, address_space))
    if file_size:
        wanted.append((resource.RLIMIT_FSIZE, file_size))
    for which, bound in wanted:
        _, hard = resource.getrlimit(which)
        soft = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        try:
            resource.setrlimit(which, (soft, hard))
        except (OSError, ValueError):
            continue


def _call_library(path: str, arguments: list[str]) -> int:
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    words = [b"lean", *(os.fsencode(argument) for argument in arguments)]
    vector = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    return int(library.lean_main(len(words), vector))


def main() -> None:
    """Run Lean; this process ends with Lean's exit code."""
    kind, path, address_space, file_size, *arguments = sys.argv[1:]
    _limit(int(address_space), int(file_size))
    if kind == "executable":
        os.execv(path, [path, *arguments])
    code = _call_library(path, arguments)
    # Lean prints through C's stdio; its threads make an ordinary exit unsafe, so flush and leave at once.
    ctypes.CDLL(None).fflush(None)
    os._exit(code & 255)


if __name__ == "__main__":
    main()
