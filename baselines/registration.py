"""Makes the environment known to gymnasium, which calls this when it is first imported."""

from gymnasium.envs.registration import register


def register_envs() -> None:
    """Registers Emerald-v0; the names are looked up when one is made."""
    register(id="Emerald-v0", entry_point="baselines.envs:make_registered")
