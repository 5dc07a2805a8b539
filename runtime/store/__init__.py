"""The commit graph of executed runs on disk."""
