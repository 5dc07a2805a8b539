"""The `eclogue` command."""
