"""What several test files share; pytest puts `tests/` on the path."""
