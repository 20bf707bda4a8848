"""Every setting, once: its default, type, bounds and help."""
