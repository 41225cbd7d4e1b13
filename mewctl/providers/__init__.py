"""Who writes prose: ``offline`` (the default), later ``anthropic`` and ``command``."""
