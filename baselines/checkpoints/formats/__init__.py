"""File formats inside a checkpoint, each read as untrusted."""
