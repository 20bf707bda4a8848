"""What a console shows: its screen, the same in grey, a window for people."""
