"""Every finding there is: its rule, its limits, its meaning and its advice in one record each.

A rule knows only updates up to the present one, so a live run and its log are judged alike.
"""

from baselines.diagnostics.rule import Rule
from baselines.diagnostics.rules.policy import POLICY_RULES
from baselines.diagnostics.rules.reward import REWARD_RULES
from baselines.diagnostics.rules.run import RUN_RULES
from baselines.diagnostics.rules.value import VALUE_RULES

RULES: dict[str, Rule] = {
    rule.code: rule for rule in (*RUN_RULES, *REWARD_RULES, *POLICY_RULES, *VALUE_RULES)
}

__all__ = ["RULES"]
