"""Benchmarks that go through the product's own doors: what it recalls, how fast it is, what it bears."""
