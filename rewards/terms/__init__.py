"""All terms of the rewards that pay once, by name, in the order in which they are reported."""

from __future__ import annotations

from rewards.kinds import Events, Marks
from rewards.terms.collection import SpeciesCaught, SpeciesSeen, StoryItems
from rewards.terms.growth import Experience, Healing, Levels, MovesLearned
from rewards.terms.new_places import GroundSearched, MapsEntered, TilesWalked
from rewards.terms.story import (
    Badges,
    Champion,
    ItemsFound,
    Milestones,
    PokedexReceived,
    PokenavReceived,
    StoryEvents,
    TownsVisited,
    TrainersBeaten,
)
from rewards.terms.way_walked import WayWalked

TERMS: dict[str, Events | Marks] = {
    term.name: term
    for term in (
        Milestones(),
        StoryEvents(),
        Badges(),
        TrainersBeaten(),
        TownsVisited(),
        Champion(),
        PokedexReceived(),
        PokenavReceived(),
        StoryItems(),
        ItemsFound(),
        SpeciesSeen(),
        SpeciesCaught(),
        MapsEntered(),
        TilesWalked(),
        GroundSearched(),
        WayWalked(),
        Experience(),
        Levels(),
        MovesLearned(),
        Healing(),
    )
}
