"""Learning what to do from a teacher's labels."""
