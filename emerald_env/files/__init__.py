"""Files: reading those of strangers within limits, writing our own whole, and words to print."""
