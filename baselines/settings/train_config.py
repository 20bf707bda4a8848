"""Every setting of a training run: one definition for defaults, flags, help and `config.json`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

import tyro
from pydantic import Field

from baselines.settings.game_config import GameConfig
from baselines.settings.label_options import LabelOptions
from baselines.settings.policy_config import PolicyConfig, with_earlier_options
from emerald_env.env.any_game.coarse_pictures import DIVIDABLE
from emerald_env.env.setting_types import (
    MAX_FLOAT,
    MAX_INT,
    BelowOne,
    Count,
    Positive,
    Real,
    Record,
    Seed,
    Share,
    checked,
    from_json,
)
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import MEBIBYTE, parse_json, read_bytes
from emerald_env.files.own_code import OwnName, own_files, parse_address
from emerald_env.game.choice import check_worlds
from emerald_env.parallel.cpu_placement import available_cores
from emerald_env.recordings.find_recordings import SESSIONS

# other names of settings: those of the 2023 project
ALSO_CALLED = {"use_wandb_logging": "wandb"}
GONE = ("backend",)  # settings of versions before this one, which change nothing any more


def whole_number(text: str) -> int:
    """Returns a whole number written with digits, "_" or an exponent, such as 1e6.

    Raises:
        ValueError: the text is not a whole number.
    """
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not number.is_integer():
        raise ValueError(f"{text} is not a whole number")
    return int(number)


Steps = Annotated[
    int,
    tyro.constructors.PrimitiveConstructorSpec(
        nargs=1,
        metavar="INT",
        instance_from_str=lambda texts: whole_number(texts[0]),
        is_instance=lambda value: isinstance(value, int),
        str_from_instance=lambda number: [str(number)],
    ),
    Field(ge=1, le=MAX_INT),
]


# Marks what only a flag switches on: a session that is resumed may come from anybody, and its
# settings must neither send anything anywhere nor start a command.
ONLY_BY_FLAG = {"only_by_flag": True}

NETWORKS = ("auto", "tile", "small", "nature", "impala")
LONG = 500_000  # steps of a run that can learn more than the first chapters
DEFAULT_N_STEPS = 128  # a run that would be shorter plays as many as it has, so that it ends there
DEFAULT_BATCHES = (512, 1536)  # samples; the second with a teacher

LOCAL = "local"
Address = Annotated[
    str,
    tyro.constructors.PrimitiveConstructorSpec(
        nargs="*",
        metavar="[ADDRESS]",
        instance_from_str=lambda texts: one_address(texts),
        is_instance=lambda value: isinstance(value, str),
        str_from_instance=lambda address: [address],
    ),
]


def one_address(texts: Sequence[str]) -> str:
    """Returns the address after `--ray`; LOCAL if there is none.

    Raises:
        ValueError: it is more than one word.
    """
    if len(texts) > 1:
        raise ValueError(f"--ray takes one address, got {' '.join(texts)}")
    return texts[0] if texts else LOCAL


@checked
@dataclass(frozen=True)
class PPOConfig:
    """The learner; the names are SB3's."""

    learning_rate: Positive = 1e-3
    """Step size of Adam."""
    value_lr_ratio: Positive = 1.0
    """With separate_networks: the step size of the value's own optimiser, in learning rates."""
    anneal_learning_rate: bool = False
    """Let the learning rate fall in a straight line, to 0 after the last update."""
    learning_rate_warmup: BelowOne = 0.0
    """Share of the run in which the learning rate first rises from 0."""
    n_steps: Count = DEFAULT_N_STEPS
    """Steps that each game plays between two updates; fewer where the default is more than a run
    has."""
    batch_size: Annotated[int, Field(ge=2, le=MAX_INT)] = DEFAULT_BATCHES[0]
    """Samples in one gradient step; all of an update's where the default is more than those."""
    n_epochs: Count = 3
    """Passes over the samples in each update."""
    gamma: Share = 0.997
    """Discount: 0.99 looks about 100 steps (40 seconds of game) ahead, 0.997 some 330."""
    gae_lambda: Share = 0.95
    """Generalised advantage estimation: 0 trusts the value network, 1 the observed rewards."""
    clip_range: Positive = 0.2
    """How far an update gains from moving an action's probability, as a share."""
    anneal_clip_range: bool = False
    """Let the clip range fall in a straight line, to 0 after the last update."""
    clip_range_warmup: BelowOne = 0.0
    """Share of the run in which the clip range first rises from 0."""
    clip_range_vf: Positive | None = None
    """The same for the value network; depends on the scale of the rewards. Left out: off."""
    clip_range_vf_max: bool = False
    """With clip_range_vf: the larger of the clipped and the unclipped error counts, as in the
    paper's code, so that a value that moved the wrong way is pulled back."""
    scale_rewards: bool = False
    """Divide rewards by the standard deviation of the discounted return, for learning only."""
    normalize_advantage: bool = True
    """Scale advantages to mean 0 and deviation 1."""
    advantage_scope: Literal["minibatch", "batch"] = "minibatch"
    """Over which samples: those of one gradient step, or all of the update."""
    recompute_advantage: bool = False
    """Recompute advantages with the newest value network before each epoch but the first."""
    ent_coef: Real = 0.02
    """Weight of the entropy bonus: more explores longer, too much never converges."""
    vf_coef: Real = 0.5
    """Weight of the value loss."""
    max_grad_norm: Positive = 0.5
    """Largest gradient norm; a larger gradient is scaled down to it."""
    target_kl: Positive | None = None
    """End an update's epochs early when the policy has moved 1.5 times this far. Left out:
    never."""
    sequence_length: Count | None = None
    """Steps through which a recurrent policy's gradient flows back. Left out: all of an
    update's."""

    def __post_init__(self) -> None:
        """Raises ValueError with the setting, its value and what it may be."""
        if self.clip_range_vf_max and self.clip_range_vf is None:
            raise ValueError("clip_range_vf_max has nothing to do: give clip_range_vf, too")


@checked
@dataclass(frozen=True)
class TrainConfig:
    """Train PPO on Pokémon Emerald, or on the built-in game Jade when no ROM is given."""

    name: str | None = None
    """A name for the session, which becomes part of its folder's."""
    total_timesteps: Steps = 800_000
    """Steps of all games together, up to a whole update; a step is 0.4 seconds of one game."""
    seed: Seed = 0
    """Seed of the network, the sampled actions and the games."""
    n_envs: Count | None = None
    """Games played in parallel. Left out: 4 for each CPU core up to 64, but at least 16, and in a
    run of half a million steps or more at least 32."""
    n_workers: Count | None = None
    """Processes that the games are spread over. Left out: one for each CPU core."""
    novelty_coef: Real | None = None
    """Bonus for places that the run's episodes have rarely visited, for learning only; with
    --observation screen for coarse pictures that they have rarely shown. Left out: 0.2 if the
    observation contains the position, or with --data; else 0."""
    explore: BelowOne | Literal["auto"] | None = None
    """Share of the steps that explore without a network, to fill the archive of states; auto: much
    while the agent reaches all that was found, little while it learns the way there. Left out:
    auto with --observation full or state, else 0."""
    archive: Path | None = None
    """Begin with the states of this archive (the folder `archive` of a session, or what
    `emerald archive import` made)."""
    practice: BelowOne | None = None
    """Share of the episodes that begin in states of the archive, on the path to the furthest; they
    do not count in the curves. Left out: 0.5 if the run explores; 0: all begin at the start."""
    advice: Real | None = None
    """Weight of learning the search's shortest path to the next milestone, beside learning from
    rewards; needs --observation full or state. Left out: 0.5 if the run explores."""
    teacher: str | None = None
    """Learn from labels in place of rewards (docs/PPO_ELI15.md). Whose: "guide" (knows Jade's maps
    and story), "jade", a checkpoint (.zip), a session, "last", or a folder of what `emerald archive
    explore` found. It brings other defaults."""
    ways: tuple[Path, ...] = ()
    """Learn from these recordings, of a person or of any player (docs/TEACHING.md): .recording
    files, or folders of them. `--teacher way/` means the same."""
    clone: Annotated[int, Field(ge=0, le=MAX_INT)] = 0
    """With ways: passes over their steps in which the network first learns to do the same."""
    clone_kl: Real = 0.5
    """With clone: weight of staying close to the clone, which fades over the run's first half."""
    worker_seconds: Annotated[float, Field(ge=1, le=MAX_FLOAT)] | None = None
    """Seconds of silence after which a worker is replaced. Left out: 60, or as long as its share
    of a round of exploring takes at 20 steps a second, if that is longer."""
    ray: Address | None = field(default=None, metadata=ONLY_BY_FLAG)
    """Play the games on a Ray cluster: on this machine (--ray alone), or the one at an address
    (docs/SCALE.md)."""
    actors: Count | None = field(default=None, metadata=ONLY_BY_FLAG)
    """With --ray: the number of actors, each with its own copy of the policy. Left out: one for
    each CPU of the cluster. One actor learns exactly what a run without Ray learns."""
    overlap: bool = field(default=False, metadata=ONLY_BY_FLAG)
    """With --ray: play the next rollout while learning from this one, one update behind."""
    shards: Count | None = None
    """Parts of a minibatch whose gradients are computed in parallel on a CPU. Left out: one for
    each core, of 128 samples at least; 1 on a GPU and with a recurrent policy."""
    bf16: bool = False
    """Compute what the CNN sees in bfloat16: on processors with AMX an update is a third faster,
    NatureCNN's twice as fast (docs/LEARNER_SPEED.md). Needs AVX512-BF16, AMX or a GPU."""
    n_stack: Count = 2
    """Successive pictures in one observation."""
    network: str = "auto"
    """tile: a CNN of the game's tiles; small: NatureCNN with half its filters; nature: NatureCNN;
    impala: IMPALA's residual CNN. auto: tile without a GPU, else nature. Or a torch module of your
    own, my_net.py:Net (docs/OWN_NETWORKS.md)."""
    device: str = "auto"
    """Where the network runs: cpu, cuda, or auto."""
    resume: str | None = None
    """Resume this session (a folder, a name, or "last"); its settings are the defaults."""
    init_from: str | None = None
    """Begin a new run with the weights of a checkpoint (.zip), a session, "last" or "jade". What
    the network sees and presses, and how it is built, are the checkpoint's unless flags change
    them."""
    sessions: Path = SESSIONS
    """Folder in which each run creates its own."""
    save_freq: Steps = 100_000
    """Steps between two checkpoints; the end of a run always saves one."""
    keep_checkpoints: Count = 5
    """How many of the latest are kept."""
    picture_seconds: Positive = 30.0
    """Seconds between two pictures of the games; every fourth goes to tensorboard."""
    record: Record = "milestones"
    """Which episodes are kept: the first to reach each milestone and the best, every, or none."""
    keep_recordings: Count = 100
    """With --record every: how many of the latest other episodes are kept."""
    on_collapse: Literal["warn", "stop", "lower_lr", "rollback"] = "warn"
    """If learning collapses: warn, stop the run, halve the learning rate, or return to the last
    checkpoint from before and halve it."""
    alert: str | None = field(default=None, metadata=ONLY_BY_FLAG)
    """A command to run with each warning as its last argument, such as notify-send. With --wandb,
    Weights & Biases sends alerts, too."""
    wandb: Annotated[bool, tyro.conf.arg(aliases=("--use-wandb-logging",))] = field(
        default=False, metadata=ONLY_BY_FLAG
    )
    """Log to Weights & Biases too, curves, pictures and videos; WANDB_MODE=offline keeps it here.
    Without it nothing touches the network."""
    env: tyro.conf.OmitArgPrefixes[GameConfig] = field(default_factory=GameConfig)
    """The game."""
    ppo: tyro.conf.OmitArgPrefixes[PPOConfig] = field(default_factory=PPOConfig)
    """The learner (PPO); the names are SB3's."""
    policy: tyro.conf.OmitArgPrefixes[PolicyConfig] = field(default_factory=PolicyConfig)
    """The network, beyond its CNN."""
    labels: LabelOptions = field(default_factory=LabelOptions)
    """Learning from labels."""

    def __post_init__(self) -> None:
        """Raises ValueError with the setting, its value and what it may be."""
        self._check_ray()
        check_worlds(self.env.world, self.env.worlds)
        if self.network not in NETWORKS and parse_address(self.network) is None:
            raise ValueError(
                f"network is {self.network!r:.60}: it must be {', '.join(NETWORKS)}, or a module "
                "of your own, FILE.py:NAME"
            )
        rollout = self._fit_rollout()
        if self.policy.recurrent:
            _check_sequences(self.ppo)
            if (self.shards or 1) > 1:
                raise ValueError(f"shards is {self.shards}: it must be 1 with a recurrent policy")
        if (self.shards or 1) > self.ppo.batch_size:
            raise ValueError(f"shards is {self.shards}: a batch has {self.ppo.batch_size} samples")
        _check_seen(self)
        _check_wrapper(self)
        _check_coordinates(self)
        if self.clone and not self.ways:
            raise ValueError("clone learns from recordings: give --teacher FOLDER, too")
        if self.clone and self.policy.recurrent:
            raise ValueError("clone is not for recurrent policies: leave one of the two out")
        if self.ppo.value_lr_ratio != 1 and not self.policy.separate_networks:
            raise ValueError(
                "value_lr_ratio needs the value's own optimiser: give --separate-networks, too"
            )
        if self.ppo.batch_size > rollout:
            raise ValueError(
                f"batch_size {self.ppo.batch_size} is more than an update has: n_envs x n_steps is "
                f"{rollout}; lower batch_size or raise n_steps"
            )

    def _fit_rollout(self) -> int:
        """Shortens updates that would be longer than the run; returns their samples."""
        n_envs = self.n_envs or default_n_envs(self.total_timesteps)
        ppo, all_steps = self.ppo, -(-self.total_timesteps // n_envs)
        fits = ppo.n_steps == DEFAULT_N_STEPS and ppo.sequence_length is None
        is_short = fits and 1 < all_steps < DEFAULT_N_STEPS
        if is_short:
            ppo = replace(ppo, n_steps=all_steps)
        rollout = n_envs * ppo.n_steps
        if ppo.batch_size in DEFAULT_BATCHES:
            batch = min(ppo.batch_size, rollout)
            rest = batch % ppo.n_steps if is_short and self.policy.recurrent else 0
            ppo = replace(ppo, batch_size=batch - rest)
        object.__setattr__(self, "ppo", ppo)
        return rollout

    def _check_ray(self) -> None:
        if self.ray is None and (self.actors is not None or self.overlap):
            raise ValueError("actors and overlap have nothing to do without --ray")

    def built_from(self) -> str | OwnName:
        """Returns the network's name, or the user's own code of it, read but not run.

        Raises:
            OSError, DataError: its file cannot be read.
        """
        return OwnName.read(self.network) if parse_address(self.network) else self.network

    @property
    def own_code(self) -> list[str]:
        """The flags that name Python files, which run: never to be taken from a file."""
        own = [f"--network {self.network}"] if parse_address(self.network) else []
        return self.env.own_code + own

    @property
    def own_files(self) -> list[Path]:
        """The Python files of the user's own that a run needs."""
        return own_files(self.env.reward, self.env.wrapper, self.network, *self.env.reward_code)

    @property
    def workers(self) -> int:
        """How many processes play the games."""
        return min(self.n_workers or available_cores(), self.n_envs or 1)

    @property
    def explores(self) -> bool:
        """Whether there is an archive of states."""
        return bool(self.explore or self.practice or self.advice)

    def save(self, path: Path) -> None:
        """Writes the settings as JSON; `load` reads them back equal."""
        write_atomically(path, (json.dumps(asdict(self), indent=2, default=str) + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> "TrainConfig":
        """Reads what `save` wrote.

        Raises:
            ValueError: the file is not JSON, or has an unknown setting or an impossible value; the
                message names it.
        """
        try:
            # NaN gets through here, so that the setting it stands in is named below
            values = parse_json(read_bytes(path, MEBIBYTE), finite=False)
            if isinstance(values, dict):
                kept = {name: value for name, value in values.items() if name not in GONE}
                values = {ALSO_CALLED.get(name, name): value for name, value in kept.items()}
                if isinstance(values.get("policy"), dict):
                    values["policy"] = with_earlier_options(values["policy"])
            return from_json(cls, values)
        except ValueError as error:
            raise ValueError(f"cannot read the settings in {path}: {error}") from error


def default_n_envs(total: int = TrainConfig.total_timesteps) -> int:
    """Returns how many games suit this machine, and a run of `total` steps.

    They are enough to batch the network, on every core, and so few that episodes can end.
    """
    least = 32 if total >= LONG else 16
    return min(64, max(least, 4 * available_cores()))


def _check_seen(config: TrainConfig) -> None:
    """Raises ValueError if a setting needs more than the observation contains."""
    eyes = config.env.observation in ("screen", "state") and config.n_stack == 1
    if config.teacher is not None and not (eyes and config.policy.recurrent):
        raise ValueError(
            "a teacher's student sees single pictures, or the game's memory, and remembers: with "
            "--teacher give --observation screen (or state) --n-stack 1 --recurrent"
        )
    if config.env.worlds is not None and config.explores:
        raise ValueError(
            "an archive holds the states of one world: with --worlds give --explore 0 "
            "--practice 0 --advice 0, or --teacher guide, or FOLDER of `emerald archive explore`"
        )
    if config.teacher is not None and config.explores:
        raise ValueError("a student explores nothing: with --teacher leave --explore out")
    if config.advice and not config.env.is_exact:
        raise ValueError(
            "advice needs to know exactly where a game is: give --observation full or state"
        )
    if config.advice and config.policy.recurrent:
        raise ValueError("advice is not for recurrent policies: leave one of the two out")
    kinds = config.env.tiles or config.env.targets or config.env.text
    if kinds and config.policy.normalize_observations:
        raise ValueError(
            "tiles, targets and letters are kinds, not numbers: leave out --normalize-observations"
        )
    if config.env.observation != "screen":
        return
    if config.policy.normalize_observations:
        raise ValueError(
            "normalize_observations has nothing to do: pictures are left as they are; give "
            "--observation dict, or leave it out"
        )
    if (config.novelty_coef or config.env.data is not None) and config.env.shrink not in DIVIDABLE:
        raise ValueError(
            f"novelty_coef compares coarse pictures: shrink must be one of {DIVIDABLE} with "
            f"--observation screen, got {config.env.shrink}"
        )


def _check_wrapper(config: TrainConfig) -> None:
    """Raises ValueError if a setting needs our own observation, and a wrapper shows another."""
    reads = config.explores or config.archive or config.novelty_coef
    if config.env.wrapper is not None and (reads or config.teacher or config.ways):
        raise ValueError(
            "exploring, novelty_coef and learning from labels or recordings read our own "
            "observation: with --wrapper leave --explore, --practice, --advice, --archive, "
            "--novelty-coef, --teacher and --ways out"
        )


def _check_coordinates(config: TrainConfig) -> None:
    """Raises ValueError if a setting needs x and y and they are not observed."""
    embeds = config.policy.embed_places and config.env.observation != "screen"
    if not config.env.coordinates and (config.explores or embeds or config.novelty_coef):
        raise ValueError(
            "exploring, novelty_coef and the embedding of places need x and y: with "
            "--no-coordinates give --explore 0 --practice 0 --advice 0 --no-embed-places"
        )


def _check_sequences(ppo: PPOConfig) -> None:
    length = ppo.sequence_length or ppo.n_steps
    for name in ("n_steps", "batch_size"):
        if getattr(ppo, name) % length:
            raise ValueError(
                f"{name} is {getattr(ppo, name)}: with a recurrent policy it must be a multiple of "
                f"the sequences' length {length} (sequence_length, or n_steps where that is None)"
            )
