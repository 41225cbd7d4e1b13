"""Long-term notes: one Markdown file each, an index of them, and how they change."""
