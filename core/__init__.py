"""The calculus: values, terms, its two readings, traces and profiles.

`SPEC.md` beside this file is the specification; every rule has an id that the docstrings cite.
Imports only attrs and the standard library.
"""
