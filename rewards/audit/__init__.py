"""The auditor: follows a walk and says what paid, and whether its loop can be farmed."""

from rewards.audit.audited_walk import StatesWalk, Walk, find_loop
from rewards.audit.auditor import AuditReport, Payment, audit, audits
from rewards.audit.scripted import ScriptedWalk, walk_names
from rewards.audit.sources import open_walk
from rewards.audit.verdict import LoopVerdict

__all__ = [
    "AuditReport",
    "Payment",
    "ScriptedWalk",
    "StatesWalk",
    "LoopVerdict",
    "Walk",
    "audit",
    "audits",
    "find_loop",
    "open_walk",
    "walk_names",
]
