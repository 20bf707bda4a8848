"""Many games side by side, spread over worker processes."""
