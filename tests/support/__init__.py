"""What the property-based tests share: generators, oracles, a minimiser, failing-example output."""
