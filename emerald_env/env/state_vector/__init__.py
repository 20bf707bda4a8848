"""The layout of the observed state vector, and its longer form."""
