"""The pages that people use in a browser: rendered here, with no script, usable by keyboard and on a phone."""
