import { $, colour, getJson, make, say, whole, words } from "./dom.js";

const TILE = 16, REFRESH = 8000, SOON = 200, TRAIL = 60;
const FEW = 400; // tiles of a layer, which would be overlooked: each gets a dot
const LAYERS = {
  "": "none", visits: "visits", still: "standing still", ends: "ends of episodes",
  losses: "lost battles", practice: "beginnings of practice", archive: "the archive's states",
};
const LEGENDS = {
  visits: "steps on a tile", still: "steps after which a game stood where it had stood",
  ends: "episodes that ended here", losses: "battles lost here",
  practice: "practice episodes that began here", archive: "states that the run may return to",
};
const DOTS = ["--one", "--two", "--three", "--four"];

/** An amount relative to the largest, 0 to 1, on a scale of powers. */
function shareOf(amount, most) {
  const unit = most < 10 ? 100 / most : 1;
  return Math.log1p(Math.abs(amount) * unit) / Math.log1p(most * unit);
}

const overlap = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];

/** The world: painted ground, layers of what happened, agents with their trails. */
export class WorldMap {
  constructor() {
    this.canvas = $("#board");
    this.pen = this.canvas.getContext("2d");
    this.images = new Map();
    this.reset();
    this.view = null;
    this.bind();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  reset() {
    this.world = null;
    this.images.clear();
    this.agents = new Map();
    this.heat = [];
    this.replays = [];
    this.view = null;
    this.error = null;
    this.atEnd = true;
  }

  open(base) {
    this.base = base;
    this.reset();
    this.loading = true;
    this.fillReplays([]);
    this.empty();
    this.draw();
    if (this.visible) this.refresh();
  }

  setVisible(visible) {
    this.visible = visible;
    clearTimeout(this.timer);
    if (visible && this.base) this.refresh();
  }

  async refresh() {
    clearTimeout(this.timer);
    const base = this.base;
    try {
      const world = await getJson(`${base}/world`);
      const run = await getJson(`${base}/run`).catch(() => null); // the map is shown all the same
      if (base !== this.base) return;
      if (run) this.fillReplays(run.recordings);
      await this.takeWorld(world);
      this.error = null;
    } catch (error) {
      this.error = error.message;
    }
    this.loading = false;
    this.empty();
    if (this.visible && base === this.base) {
      this.timer = setTimeout(() => this.refresh(), this.world?.more ? SOON : REFRESH);
    }
  }

  async takeWorld(world) {
    const known = new Map((this.world?.maps ?? []).map((map) => [map.id, map.version]));
    this.world = world;
    this.byId = new Map(world.maps.map((map) => [map.id, map]));
    const changed = world.maps.filter((map) => map.version && known.get(map.id) !== map.version);
    await Promise.all(changed.map((map) => this.load(map)));
    this.fillLayers(world.layers);
    const range = $("#until"), last = Math.max(0, world.times.length - 1);
    range.max = last;
    if (this.atEnd) range.value = last;
    if (!this.view) this.fitAll();
    await this.loadHeat();
  }

  load(map) {
    return new Promise((done) => {
      const image = new Image();
      image.onload = () => { this.images.set(map.id, image); done(); };
      image.onerror = () => done();
      image.src = `${this.base}/map/${map.id}.png?v=${map.version}`;
    });
  }

  fillLayers(names) {
    const select = $("#layer"), before = select.dataset.touched ? select.value : "visits";
    if (select.dataset.names === JSON.stringify(names)) return;
    select.dataset.names = JSON.stringify(names);
    select.replaceChildren(...["", ...names].map((name) => {
      const option = make("option", "", LAYERS[name] ?? `paid for ${words(name.slice(4))}`);
      option.value = name;
      return option;
    }));
    select.value = ["", ...names].includes(before) ? before : "";
  }

  /** Offers the recordings; one that is chosen plays on. */
  fillReplays(names) {
    const select = $("#replay"), before = select.value;
    if (JSON.stringify(this.recordings) === JSON.stringify(names)) return;
    this.recordings = names;
    const options = [["", "none"], ...(names.length > 1 ? [["*", "all together"]] : []),
      ...names.map((name) => [name, words(name.replace(".recording", ""))])];
    select.replaceChildren(...options.map(([value, text]) => {
      const option = make("option", "", text);
      option.value = value;
      return option;
    }));
    select.value = options.some(([value]) => value === before) ? before : "";
    if (select.value !== before) this.replay("");
  }

  get until() {
    return this.world?.times[Number($("#until").value)] ?? Infinity;
  }

  async loadHeat() {
    const name = $("#layer").value, times = this.world?.times ?? [];
    const text = times.length ? `${whole(Math.min(this.until, times.at(-1)))} steps` : "";
    say($("#until-text"), text);
    const until = Number.isFinite(this.until) ? `&to=${this.until}` : "";
    $("#png").href = `${this.base}/map.png?layer=${encodeURIComponent(name)}${until}`;
    $("#mp4").href = `${this.base}/map.mp4?layer=${encodeURIComponent(name)}`;
    const legend = LEGENDS[name] ?? (name ? "reward paid on a tile" : "");
    $("#legend").replaceChildren(...(name ? [make("i"), `few to many: ${legend}`] : []));
    this.heat = name ? await getJson(`${this.base}/layer?name=${encodeURIComponent(name)}${until}`) : [];
    this.draw();
  }

  take(message) {
    for (const game of this.agents.keys()) if (game >= message.n) this.agents.delete(game); // of a run before
    for (const facts of message.games) {
      if (!facts.at) continue;
      const agent = this.agents.get(facts.game) ?? { trail: [], game: facts.game };
      this.agents.set(facts.game, agent);
      if (agent.episode !== facts.episode) agent.trail = [];
      agent.episode = facts.episode;
      const last = agent.trail.at(-1);
      if (!last || String(last) !== String(facts.at)) agent.trail.push(facts.at);
      if (agent.trail.length > TRAIL) agent.trail.shift();
    }
    if (this.visible) this.drawSoon();
  }

  drawSoon() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => { this.pending = 0; this.draw(); });
  }

  // ---- where things are: tiles of the board, pixels of the canvas

  place([group, number, x, y]) {
    const map = this.byId?.get(`${group}.${number}`);
    const inside = map && x >= 0 && y >= 0 && x < map.size[0] && y < map.size[1];
    return inside ? [map.corner[0] + x, map.corner[1] + y] : null;
  }

  fitAll() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!this.world?.maps.length || !width) return;
    const { maps } = this.world;
    const left = Math.min(...maps.map((map) => map.corner[0])) - 2;
    const top = Math.min(...maps.map((map) => map.corner[1])) - 2;
    const right = Math.max(...maps.map((map) => map.corner[0] + map.size[0])) + 2;
    const bottom = Math.max(...maps.map((map) => map.corner[1] + map.size[1])) + 2;
    const beside = width > 760 ? $("#panel").offsetWidth + 24 : 0, room = height - 80;
    const scale = Math.min((width - beside) / (right - left), room / (bottom - top), 64);
    this.view = { scale, x: (left + right) / 2 - (width + beside) / 2 / scale, y: (top + bottom) / 2 - room / 2 / scale };
    this.draw();
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    if (!this.view) return;
    const { scale } = this.view, next = Math.min(128, Math.max(0.5, scale * factor));
    this.view = { scale: next, x: this.view.x + x / scale - x / next, y: this.view.y + y / scale - y / next };
    this.drawSoon();
  }

  // ---- drawing

  draw() {
    const { canvas, pen } = this, ratio = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (!width) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (!this.world || !this.view) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.imageSmoothingEnabled = this.view.scale * ratio < TILE;
    pen.imageSmoothingQuality = "high";
    for (const map of this.world.maps) this.drawMap(map);
    this.drawLines();
    this.drawHeat();
    if ($("#agents").checked) this.drawAgents();
    if ($("#names").checked) this.drawNames();
  }

  box(x, y, width, height) {
    const { scale, x: left, y: top } = this.view;
    const at = [Math.round((x - left) * scale), Math.round((y - top) * scale)];
    return [...at, Math.round((x + width - left) * scale) - at[0], Math.round((y + height - top) * scale) - at[1]];
  }

  drawMap(map) {
    const [x, y, width, height] = this.box(...map.corner, ...map.size);
    if (x > this.canvas.clientWidth || y > this.canvas.clientHeight || x + width < 0 || y + height < 0) return;
    this.pen.fillStyle = colour("--fog");
    this.pen.fillRect(x, y, width, height);
    const image = this.images.get(map.id);
    if (image) this.pen.drawImage(image, x, y, width, height);
    const until = this.until;
    this.pen.fillStyle = colour("--fog");
    for (const [column, row, steps] of map.since)
      if (steps > until) this.pen.fillRect(...this.box(map.corner[0] + column, map.corner[1] + row, 1, 1));
    if (!map.outdoor) {
      this.pen.strokeStyle = colour("--line");
      this.pen.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
    }
  }

  drawHeat() {
    const most = this.heat.reduce((highest, row) => Math.max(highest, Math.abs(row[4])), 0);
    if (!most) return;
    this.veil();
    const large = this.heat.length < FEW;
    for (const row of this.heat) {
      const at = this.place(row);
      if (!at) continue;
      const share = shareOf(row[4], most);
      this.pen.fillStyle = `rgba(255, 140, 0, ${0.08 + 0.72 * share ** 1.6})`;
      this.pen.fillRect(...this.box(...at, 1, 1));
      if (large && this.view.scale < 8) {
        const [x, y, side] = this.box(...at, 1, 1);
        this.pen.beginPath();
        this.pen.arc(x + side / 2, y + side / 2, 1 + 3 * share, 0, 7);
        this.pen.fill();
      }
    }
  }

  /** Takes colour from the ground, so that a layer stands out on it. */
  veil() {
    this.pen.fillStyle = colour("--fog");
    this.pen.globalAlpha = 0.35;
    for (const map of this.world.maps) this.pen.fillRect(...this.box(...map.corner, ...map.size));
    this.pen.globalAlpha = 1;
  }

  drawLines() {
    const { pen, view } = this;
    pen.strokeStyle = colour("--quiet");
    pen.lineWidth = 1;
    pen.setLineDash([3, 4]);
    pen.globalAlpha = 0.6;
    for (const [[x, y], [toX, toY]] of this.world.lines) {
      pen.beginPath();
      pen.moveTo((x - view.x) * view.scale, (y - view.y) * view.scale);
      pen.lineTo((toX - view.x) * view.scale, (toY - view.y) * view.scale);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  drawAgents() {
    const { pen, view } = this;
    const all = [...this.agents.values(), ...this.replays];
    const point = (spot) => {
      const at = this.place(spot);
      return at && [(at[0] + 0.5 - view.x) * view.scale, (at[1] + 0.5 - view.y) * view.scale];
    };
    for (const agent of all) {
      const dye = colour(DOTS[agent.game % DOTS.length]);
      pen.strokeStyle = dye;
      pen.lineWidth = Math.max(1.5, Math.min(4, view.scale / 5));
      for (let i = 1; i < agent.trail.length; i++) {
        const from = agent.trail[i - 1], to = agent.trail[i];
        if (from[0] !== to[0] || from[1] !== to[1]) continue;
        const [a, b] = [point(from), point(to)];
        if (!a || !b) continue;
        pen.globalAlpha = (0.7 * i) / agent.trail.length;
        pen.beginPath();
        pen.moveTo(...a);
        pen.lineTo(...b);
        pen.stroke();
      }
      pen.globalAlpha = 1;
      const here = agent.trail.length && point(agent.trail.at(-1));
      if (here) this.drawDot(here, dye, agent.game);
    }
  }

  drawDot([x, y], dye, text) {
    const { pen } = this, size = Math.max(5, Math.min(11, this.view.scale * 0.45));
    pen.beginPath();
    pen.arc(x, y, size, 0, 7);
    pen.fillStyle = dye;
    pen.fill();
    pen.lineWidth = 1.5;
    pen.strokeStyle = "#fff";
    pen.stroke();
    if (size < 8) return;
    pen.fillStyle = "#fff";
    pen.font = `600 ${Math.round(size)}px system-ui`;
    pen.textAlign = "center";
    pen.fillText(String(text), x, y + size * 0.36);
  }

  /** Names as many maps as there is room for: towns and routes first, no name upon another. */
  drawNames() {
    const { pen } = this, size = this.view.scale > 5 ? 12 : 10;
    pen.font = `600 ${size}px system-ui`;
    pen.textAlign = "left";
    pen.lineWidth = 3;
    const boxes = this.world.maps.map((map) => ({ map, box: this.box(...map.corner, ...map.size) }))
      .filter(({ box }) => box[2] > 12);
    boxes.sort((a, b) => b.map.outdoor - a.map.outdoor || b.box[2] * b.box[3] - a.box[2] * a.box[3]);
    const taken = boxes.filter(({ map }) => !map.outdoor).map(({ box }) => box);
    const world = boxes.filter(({ map }) => map.outdoor).map(({ box }) => box);
    for (const { map, box } of boxes) {
      const others = map.outdoor ? taken : [...taken.filter((one) => one !== box), ...world];
      const spot = this.spotFor(map, box, size, others);
      if (!spot) continue;
      taken.push(spot.room);
      const at = [spot.room[0] + 3, spot.room[1] + size - 1];
      pen.strokeStyle = colour("--card");
      pen.strokeText(spot.text, ...at);
      pen.fillStyle = colour("--text");
      pen.fillText(spot.text, ...at);
    }
  }

  spotFor(map, [x, y, width, height], size, taken) {
    const short = map.name.replace(/ (Town|City)$/, "");
    for (const text of new Set([map.name, short])) {
      const room = this.pen.measureText(text).width + 6, tall = size + 1, right = x + width - room;
      const above = y - tall - 1, below = y + height + 1, edge = this.canvas.clientWidth;
      const spots = map.outdoor ? [[x, y + 1]] : [[x, above], [right, above], [x, below], [right, below]];
      for (const spot of spots) {
        const rect = [...spot, room, tall];
        const fits = map.outdoor || (spot[0] >= 0 && spot[0] + room <= edge);
        if (fits && !taken.some((one) => overlap(one, rect))) return { text, room: rect };
      }
    }
    return null;
  }

  empty() {
    const box = $("#map-empty"), none = !this.world?.maps.length;
    box.hidden = !none && !this.error;
    const head = this.loading ? "Reading the map…" : this.error ? "The map cannot be shown" : "Nothing but fog yet";
    const rest = this.loading ? "" : this.error ?? "The map is painted from what the games see. It grows with the first steps.";
    box.replaceChildren(make("strong", "", head), make("span", "", rest));
  }

  // ---- replay

  async replay(name) {
    this.replays = [];
    const names = name === "*" ? this.recordings : name ? [name] : [];
    const tracks = await Promise.all(names.map((one) =>
      getJson(`${this.base}/recordings/${encodeURIComponent(one)}`).catch(() => null)));
    this.replays = tracks.filter(Boolean).map((track, game) => ({ game, track, trail: [], next: 0, step: 0 }));
    clearInterval(this.clock);
    if (this.replays.length) this.clock = setInterval(() => this.advance(), 66);
    this.drawSoon();
  }

  advance() {
    if (!this.visible) return;
    for (const one of this.replays) {
      const stay = one.track.stays[one.next];
      if (stay && stay.length === 5) {
        one.trail.push(stay.slice(1));
        if (one.trail.length > TRAIL) one.trail.shift();
      }
      one.next += 1;
    }
    const longest = Math.max(...this.replays.map((one) => one.track.stays.length));
    if (this.replays.every((one) => one.next > longest + 30))
      for (const one of this.replays) Object.assign(one, { next: 0, trail: [] });
    this.drawSoon();
  }

  // ---- mouse, touch and keys

  bind() {
    const pointers = new Map();
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    for (const kind of ["pointerup", "pointercancel"])
      canvas.addEventListener(kind, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!this.view) return;
      if (!before) return this.tellName(event.offsetX, event.offsetY);
      const now = [event.offsetX, event.offsetY];
      const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId);
      if (others.length === 1) {
        const [, other] = others[0];
        const far = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
        this.zoom(far(now) / far(before), other[0], other[1]);
      } else {
        this.view.x -= (now[0] - before[0]) / this.view.scale;
        this.view.y -= (now[1] - before[1]) / this.view.scale;
        this.drawSoon();
      }
      pointers.set(event.pointerId, now);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    for (const button of document.querySelectorAll("#zoom button"))
      button.addEventListener("click", () =>
        Number(button.dataset.zoom) ? this.zoom(Number(button.dataset.zoom)) : this.fitAll());
    $("#layer").addEventListener("change", (event) => {
      event.target.dataset.touched = "1";
      this.loadHeat();
    });
    for (const name of ["#agents", "#names"]) $(name).addEventListener("change", () => this.draw());
    $("#replay").addEventListener("change", (event) => this.replay(event.target.value));
    $("#until").addEventListener("input", () => this.scrub());
    $("#play").addEventListener("click", () => this.play());
  }

  tellName(x, y) {
    const under = this.world?.maps.find((map) => overlap(this.box(...map.corner, ...map.size), [x, y, 1, 1]));
    const name = under ? [under.name, under.town].filter(Boolean).join(", ") : "";
    if (this.canvas.title !== name) this.canvas.title = name;
  }

  key(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const move = moves[event.key];
    if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 1.5 : 1 / 1.5);
    else if (move && this.view) {
      this.view.x += (40 * move[0]) / this.view.scale;
      this.view.y += (40 * move[1]) / this.view.scale;
      this.drawSoon();
    } else return;
    event.preventDefault();
  }

  scrub() {
    const range = $("#until");
    this.atEnd = range.value === range.max;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.loadHeat(), 80);
    this.drawSoon();
  }

  play() {
    const range = $("#until");
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = 0;
    } else {
      if (range.value === range.max) range.value = 0;
      this.playing = setInterval(() => {
        range.value = Number(range.value) + Math.max(1, Math.round(Number(range.max) / 80));
        this.scrub();
        if (range.value === range.max) this.play();
      }, 150);
    }
    say($("#play"), this.playing ? "❚❚" : "▶");
  }
}
