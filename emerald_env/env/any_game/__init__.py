"""Any Game Boy Advance game as an environment: its screen, and named values of its memory."""
