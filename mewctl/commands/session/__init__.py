"""The commands of the group ``session``, one file each."""
