"""Worlds from a number: the same story on other maps, and a guide that knows every way."""
