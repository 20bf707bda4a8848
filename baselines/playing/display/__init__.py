"""What people see of a game: windows, videos and the panel beside them."""
