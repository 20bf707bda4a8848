"""What `benchmark.py` measures: one file a kind of contestant."""
