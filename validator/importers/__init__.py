"""Importers of other tools' formats; each documents what differs."""
