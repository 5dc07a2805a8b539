"""The pure model of layered file systems: the twin of `lean/Eclogue/Runtime`, with the same names."""
