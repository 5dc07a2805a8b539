"""Runs of the machine, state by state: for the terminal and for pages."""
