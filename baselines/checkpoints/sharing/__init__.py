"""Inspecting untrusted checkpoints, converting foreign weights, and exporting our own."""
