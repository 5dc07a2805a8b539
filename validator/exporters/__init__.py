"""Exporters to other tools' formats; each documents what it loses."""
