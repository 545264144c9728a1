"""The product's values and rules. Standard library only: nothing here waits, reads or writes."""
