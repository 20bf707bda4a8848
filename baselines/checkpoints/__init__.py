"""What a checkpoint holds, and how it is read without running any code in it."""
