"""Commands about the machine, the emulator and states of the game."""
