"""One training run: settings, games, model, callbacks."""
