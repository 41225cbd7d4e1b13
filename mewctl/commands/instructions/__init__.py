"""``mewctl instructions``: MEWCODE.md files, rendered, checked and weighed."""
