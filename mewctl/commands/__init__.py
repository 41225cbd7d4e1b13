"""The shell: one file per command; parse, read, call, write. Imported by nobody."""
