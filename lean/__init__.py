"""The Lean development and its bridge: find Lean, build the package, audit it, encode terms for it.

The Lean sources stand beside this file as a Lake package. They are checked by the real Lean, either an
installed toolchain or the shared library that the extra `lean` brings, always in a child process.
"""
