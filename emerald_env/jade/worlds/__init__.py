"""Worlds from a number: the same story on other maps, and a teacher that knows every way."""
