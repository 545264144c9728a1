"""Change detection: labelled pairs, how good `learn.change.reconcile` is on them, and the weights that they teach."""
