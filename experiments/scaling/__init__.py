"""How training scales: pieces measured here, and a simulation of machines that are not."""
