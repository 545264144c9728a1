"""The version of this distribution, in a module of its own so that the client can name it without a circle."""

__version__ = "0.1.0"
