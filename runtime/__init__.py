"""Execution of programs on real sandboxes: scopes, hosts, the gate, the graph of what happened."""
