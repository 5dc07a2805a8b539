"""What `build.py` is made of: the sources of the blueprint, those of Lean, and the site."""
