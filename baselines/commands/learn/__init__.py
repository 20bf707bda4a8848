"""Commands about training runs."""
