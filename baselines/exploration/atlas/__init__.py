"""What every key did in every place so far, and the advice that follows from it."""
