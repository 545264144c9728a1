"""The operator's commands, one noun a file; `geniffy_server.cli` gives them their names.

Importing them is cheap: what is heavy is imported by the function that needs it.
"""
