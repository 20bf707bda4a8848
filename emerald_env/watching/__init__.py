"""What a viewer sees of a game: its picture and state now, and where it has been."""
