"""All findings: one record each with its rule, limits, meaning and advice.

A rule only sees updates up to the current one, so a live run and its log are judged alike.
"""

from baselines.diagnostics.rules.policy_rules import POLICY_RULES
from baselines.diagnostics.rules.reward_rules import REWARD_RULES
from baselines.diagnostics.rules.rule import Rule
from baselines.diagnostics.rules.run_rules import RUN_RULES
from baselines.diagnostics.rules.value_rules import VALUE_RULES

RULES: dict[str, Rule] = {
    rule.code: rule for rule in (*RUN_RULES, *REWARD_RULES, *POLICY_RULES, *VALUE_RULES)
}

__all__ = ["RULES"]
