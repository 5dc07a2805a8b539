"""Sandboxes: views of a workspace that can be written, forked, thrown away; processes inside them."""
