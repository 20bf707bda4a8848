"""What somebody who watches may see of a game: its picture and state now, and where it has been."""
