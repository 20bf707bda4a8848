"""Commands that check a machine, a ROM, a state or a reward."""
