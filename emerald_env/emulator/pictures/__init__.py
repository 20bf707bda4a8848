"""What a console shows: its screen, sprites and backgrounds, and a window for people."""
