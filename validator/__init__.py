"""Traces against rules and programs, and importers of other tools' formats."""
