"""The benchmark's contestants: one file for each kind."""
