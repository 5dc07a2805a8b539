"""`eclogue view`: a run as one self-contained page."""
