import { $, getJson, make, say, whole } from "./dom.js";
import { follow } from "./feed.js";
import { Wall } from "./wall.js";
import { WorldMap } from "./map.js";
import { Run } from "./run.js";

const LOOK = 3000, CHECK = 20000; // milliseconds between two looks at the list, at what is damaged
const LONG = 30; // seconds that an update takes only on a busy machine
const STILL = 1.5; // seconds without a step after which the games are said to wait
const VIEWS = ["games", "map", "run"];
const DOES = { train: "training", play: "playing", evaluate: "evaluating" };
const state = { session: null, picked: false, view: null, sessions: [], live: "absent", stream: null, listed: false };
const wall = new Wall(() => restart());
const map = new WorldMap();
const run = new Run();

const base = () => `s/${encodeURIComponent(state.session)}`;

function current() {
  return state.sessions.find((one) => one.name === state.session);
}

async function look() {
  try {
    const { first, sessions } = await getJson("sessions");
    state.sessions = sessions;
    state.listed = true;
    state.down = false;
    const names = sessions.map((one) => one.name);
    state.picked &&= names.includes(state.session); // the picked session may vanish, as may the first
    const wanted = state.picked ? state.session : names.includes(first) ? first : names[0] ?? null;
    fillSessions(wanted);
    if (wanted !== state.session) open(wanted);
  } catch {
    state.down = true;
  }
  tell();
  setTimeout(look, LOOK);
}

function fillSessions(wanted) {
  const select = $("#session");
  const names = state.sessions.map((one) => one.name);
  if (select.dataset.names !== JSON.stringify(names)) {
    select.dataset.names = JSON.stringify(names);
    select.replaceChildren(...state.sessions.map((one) => {
      const option = make("option", "", one.shown);
      option.value = one.name;
      return option;
    }));
  }
  if (wanted !== null) select.value = wanted;
  run.setSessions(state.sessions, wanted);
}

function open(name) {
  state.session = name;
  state.live = "absent";
  state.message = null;
  wall.clear();
  $("#damage").hidden = true;
  if (name === null) return;
  map.open(base());
  run.open(base());
  restart();
  checkSoon(300);
}

function checkSoon(wait) {
  clearTimeout(state.check);
  state.check = setTimeout(check, wait);
}

/** Says which of the session's files cannot be used; the others are shown all the same. */
async function check() {
  const asked = base();
  const found = document.hidden ? null : await getJson(`${asked}/damage`).catch(() => null);
  if (asked !== base()) return;
  if (found) {
    $("#damage").hidden = !found.length;
    say($("#damage strong"), found.length === 1 ? "A file of this session is damaged" : `${found.length} files of this session are damaged`);
    $("#damage ul").replaceChildren(...found.map((one) =>
      make("li", "", make("code", "", one.file), ` ${one.found}: ${one.missing}`)));
  }
  checkSoon(CHECK);
}

/** Follows the games while they, or the map, are looked at; a hidden page looks at nothing. */
function restart() {
  state.stream?.abort();
  state.stream = null;
  const looks = state.view === "games" || state.view === "map";
  if (!looks) state.message = null; // the list of sessions knows better from now on
  if (state.session === null || !looks || document.hidden) return;
  const control = (state.stream = new AbortController());
  const pictures = state.view === "map" ? "none" : wall.half ? "half" : "full";
  const game = wall.chosen === null || state.view === "map" ? "" : wall.chosen;
  follow(`${base()}/live?pictures=${pictures}&game=${game}`, take, control.signal).catch(() => {
    if (!control.signal.aborted) {
      state.message = null;
      tell();
      setTimeout(() => state.stream === control && restart(), 1500);
    }
  });
}

function take(message) {
  if (message.state) {
    const wasHalf = wall.half;
    state.live = message.state;
    state.message = message;
    if (message.games) {
      if (state.view === "games") wall.take(message);
      map.take(message);
    }
    if (wall.half !== wasHalf && state.view === "games") restart();
    tell();
  } else wall.take(message);
}

function tell() {
  const one = current(), status = $("#status"), text = status.querySelector("span");
  const facts = state.message, steps = facts?.steps ?? one?.steps;
  // what the stream says is newer than the list
  const now = !one ? "" : !facts ? one.state : state.live === "absent" ? "finished" : state.live;
  const running = now === "running";
  status.className = state.down ? "lost" : now;
  document.body.classList.toggle("bare", !one);
  $("#games").classList.toggle("stale", !running || state.down);
  if (state.down) say(text, "the page's server does not answer");
  else if (!one) say(text, state.listed ? "no session yet" : "loading");
  else if (running) say(text, `${DOES[(facts ?? one).command] ?? "training"}, ${whole(steps ?? 0)} steps${waiting(facts?.age)}`);
  else if (now === "lost") say(text, `no sign of life since ${age(facts?.age ?? one.age)}; last at ${whole(one.steps ?? 0)} steps`);
  else say(text, "not running");
  notice(one, running);
}

function waiting(seconds) {
  if (!(seconds > STILL)) return "";
  return seconds < LONG ? "; learning, the games wait" : `; learning for ${age(seconds)}: the machine is busy`;
}

function age(seconds) {
  if (seconds > 1e8) return "its start";
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

function notice(one, running) {
  let lines = [];
  if (state.down) lines = ["The server is gone", "Start it again:", ["emerald watch"]];
  else if (!state.listed) lines = ["Loading", "A busy machine takes some seconds."];
  else if (!one) lines = ["No training yet", "This page finds it as soon as one begins:", ["emerald train"]];
  else if (state.view === "games" && !wall.cards.size) {
    if (running) lines = ["Waiting for the first pictures", "They come with the next steps of the games."];
    else lines = ["No training runs in this session", "The map and the run show what it did. Resume it with", [`emerald train --resume ${one.shown}`]];
  }
  const key = JSON.stringify(lines);
  if ($("#notice").dataset.key === key) return;
  $("#notice").dataset.key = key;
  $("#notice").replaceChildren(...lines.map((line, index) =>
    Array.isArray(line) ? make("code", "", line[0]) : make(index ? "span" : "strong", "", line)));
}

function show(view) {
  state.view = view;
  for (const name of VIEWS) {
    $(`#${name}`).hidden = name !== view;
    $(`#tab-${name}`).setAttribute("aria-selected", String(name === view));
  }
  history.replaceState(null, "", `#${view}`);
  map.setVisible(view === "map");
  run.setVisible(view === "run");
  wall.fit();
  restart();
  tell();
}

function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  map.draw();
}

const prefers = matchMedia("(prefers-color-scheme: dark)");
theme(prefers.matches);
prefers.addEventListener("change", () => theme(prefers.matches));
$("#theme").addEventListener("click", () => theme(!document.documentElement.classList.contains("dark")));
$("#session").addEventListener("change", (event) => {
  state.picked = true;
  open(event.target.value);
  fillSessions(event.target.value);
  tell();
});
for (const view of VIEWS) $(`#tab-${view}`).addEventListener("click", () => show(view));
document.addEventListener("visibilitychange", restart);
const asked = location.hash.slice(1);
show(VIEWS.includes(asked) ? asked : "games");
look();
globalThis.watch = { wall, map, run }; // for the browser's console
