"""Every command of `emerald`, one file each, and what they share."""
