"""Bytes in and out: records, terminal, progress. All I/O is here and in ``store``."""
