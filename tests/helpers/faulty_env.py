"""An env that fails when it is told to; a file of its own, for which workers import no torch."""

import os
import signal
import time

import gymnasium
import numpy as np
from gymnasium import spaces

from emerald_env.files.own_code import OwnCodeError


class Unreadable:
    """Can be pickled, but not read again."""

    def __reduce__(self):
        return int, ("no number",)


class NegativeError(ValueError):
    """Cannot be read again, as it is made of two things and keeps one."""

    def __init__(self, name, value):
        super().__init__(f"{name} is {value}")


class FaultyEnv(gymnasium.Env):
    """Counts its steps, and fails in a given way at the one that is told by action 1."""

    observation_space = spaces.Box(0, 100, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, fault: str) -> None:
        self.fault = fault
        if fault == "make":
            raise ValueError("this env cannot be made")

    def observe(self):
        return np.full(1, self.count, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = (options or {}).get("count", 0)
        if self.count < 0:
            raise NegativeError("count", self.count) if seed is None else ValueError("below 0")
        return self.observe(), {"drawn": float(self.np_random.random())}

    def step(self, action):
        if action == 1 and self.fault == "step":
            raise ZeroDivisionError("the reason in the worker")
        if action == 1 and self.fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if action == 1 and self.fault == "reward":
            raise OwnCodeError("the reward raised")
        if action == 1 and self.fault == "hang":
            time.sleep(1000)
        self.count += 1
        return self.observe(), 1.0, False, False, {"reward_terms": {"only": 1.0}}

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def fail(self):
        raise ZeroDivisionError("the reason in the method")

    def unsendable(self):
        return lambda: None

    def unreadable(self):
        return Unreadable()
