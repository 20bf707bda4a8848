"""Who teaches a student: a guide, an agent, recordings, or what was explored before."""
