"""Files: untrusted ones read within limits, our own written atomically, text safe to print."""
