"""The benchmark: its protocol, results as files, and checking them without anybody's code."""
