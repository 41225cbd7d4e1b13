"""What makes the man pages, the command reference and the completion scripts."""
