"""Layer 1: oversized bodies move to files, leaving a preview. No model involved."""
