"""The gymnasium environment: configuration, actions, observations, starts."""
