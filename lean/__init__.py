"""The Lean development and its bridge: find Lean, build and audit the package, certify runs with it.

The Lean sources stand beside this file as a Lake package. They are checked by the real Lean, either an
installed toolchain or the shared library that the extra `lean` brings, always in a child process.
"""
