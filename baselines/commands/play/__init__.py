"""Commands that play games, or replay them."""
