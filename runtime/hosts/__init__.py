"""Hosts: what carries out the operations that no handler of a program catches."""
