"""Geniffy Agents: the memory that agents keep about the people they work for."""

__version__ = "0.1.0"
