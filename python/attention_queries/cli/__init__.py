"""The command line `attnq`."""

from attention_queries.cli.app import app, main

__all__ = ["app", "main"]
