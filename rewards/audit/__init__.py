"""The auditor: follows a walk and says what paid, and whether its loop can be farmed."""

from rewards.audit.auditor import AuditReport, Payment, audit, audits
from rewards.audit.scripted import ScriptedWalk, walk_names
from rewards.audit.sources import open_walk
from rewards.audit.verdict import Verdict
from rewards.audit.walk import StatesWalk, Walk, find_loop

__all__ = [
    "AuditReport",
    "Payment",
    "ScriptedWalk",
    "StatesWalk",
    "Verdict",
    "Walk",
    "audit",
    "audits",
    "find_loop",
    "open_walk",
    "walk_names",
]
