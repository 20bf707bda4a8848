"""The parts of a state, each decoded from its own structure in memory."""
