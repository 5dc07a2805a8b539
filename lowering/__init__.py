"""From `.ecl` text to the core: one grammar, a surface tree with spans, resolution, lowering, printing."""
