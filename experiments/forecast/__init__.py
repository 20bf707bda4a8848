"""How long Emerald takes, foreseen from measured files."""
