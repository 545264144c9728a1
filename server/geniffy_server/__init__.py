"""The Geniffy Agents memory server."""
