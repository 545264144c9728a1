"""Change detection: labelled pairs, how good `learn.reconcile` is on them, and the weights that they teach."""
