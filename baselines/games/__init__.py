"""Games as trainers and players use them: environment, reward and wrappers."""
