"""Locks, atomic writes, safe names, places: the only code that writes files."""
