"""How the weights that ship are made from texts of our own. None of it is part of the server."""
