"""mewctl: context engineering for LLM agents, as Unix filters over JSONL.

This module owns the version and nothing else: it is imported on every start.
"""

__version__ = "0.1.0"
