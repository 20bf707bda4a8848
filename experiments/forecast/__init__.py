"""How long Emerald takes, predicted from measured files."""
