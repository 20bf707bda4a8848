"""Learners that are not PPO, by the names that runs give them."""

from collections.abc import Callable

from experiments.strangers.others.learners.ledger import Ledger
from experiments.strangers.others.learners.lines import evolution, line_search
from experiments.strangers.others.learners.tables import (
    actor_critic,
    double_q,
    q_learning,
    reinforce,
    sarsa,
)

LEARNERS: dict[str, Callable[..., Ledger]] = {
    "q": q_learning,
    "sarsa": sarsa,
    "double_q": double_q,
    "actor_critic": actor_critic,
    "reinforce": reinforce,
    "line": line_search,
    "evolution": evolution,
}
