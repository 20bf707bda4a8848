"""What is known about the game: editions, addresses, flags, tables, save files."""
