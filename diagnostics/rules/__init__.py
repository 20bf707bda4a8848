"""All findings: one record each with its rule, limits, meaning and advice.

A rule only sees updates up to the current one, so a live run and its log are judged alike.
"""

from diagnostics.rule import Rule
from diagnostics.rules.policy import POLICY_RULES
from diagnostics.rules.reward import REWARD_RULES
from diagnostics.rules.run import RUN_RULES
from diagnostics.rules.value import VALUE_RULES

RULES: dict[str, Rule] = {
    rule.code: rule for rule in (*RUN_RULES, *REWARD_RULES, *POLICY_RULES, *VALUE_RULES)
}

__all__ = ["RULES"]
