"""Project instructions: layers, ``@include``, rendering, and what a check warns of.

Pure but for the reader of files that it is given.
"""
