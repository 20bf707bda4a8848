"""What measures the product and is not part of it."""
