import { $, colour, make, say, short, whole, words } from "./dom.js";

const GAP = 6; // pixels between cards, as in style.css
const RESORT = 1500; // milliseconds: cards that jump about cannot be read

/** All games as cards, and one of them large. */
export class Wall {
  constructor(onChoose) {
    this.cards = new Map();
    this.chosen = null;
    this.onChoose = onChoose;
    this.frames = [];
    this.values = [];
    this.sorted = 0;
    this.total = 0;
    $("#sort").addEventListener("change", () => this.sort());
    $("#large-close").addEventListener("click", () => this.choose(null));
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.fit()).observe($("#games"));
  }

  clear() {
    this.cards.clear();
    $("#wall").replaceChildren();
    this.choose(null);
    this.total = 0;
  }

  /** Whether pictures of half the size are enough. */
  get half() {
    return this.total > 24;
  }

  take(message) {
    if (message.large !== undefined) return this.showLarge(message);
    if (message.n !== this.total) this.resize(message.n);
    message.games.forEach((facts, index) => this.update(facts, message.pictures[index]));
    this.count(message.games.length);
    if (performance.now() - this.sorted > RESORT) this.sort();
  }

  /** Removes the games of a run before that are more than there are now. */
  resize(total) {
    this.total = total;
    for (const [game, { element }] of this.cards) {
      if (game < total) continue;
      element.remove();
      this.cards.delete(game);
    }
    if (this.chosen !== null && this.chosen >= total) this.choose(null);
    this.fit();
  }

  update(facts, picture) {
    let card = this.cards.get(facts.game);
    if (!card) this.cards.set(facts.game, (card = this.add(facts.game)));
    facts = card.facts = { ...card.facts, ...facts }; // most messages tell only what changes often
    if (!picture) return;
    if (card.canvas.width !== picture.width) {
      card.canvas.width = picture.width;
      card.canvas.height = picture.height;
    }
    card.canvas.getContext("2d").putImageData(picture, 0, 0);
    const levels = facts.levels?.length ? `Lv ${facts.levels.join(" ")}` : "no party";
    const badges = facts.badges ? `${"●".repeat(facts.badges)} ` : "";
    say(card.place, facts.place ? `${facts.game}  ${facts.place}` : `game ${facts.game}`);
    say(card.reward, short(facts.reward));
    say(card.party, facts.place ? badges + levels : ""); // of a game without a reader nothing is known
    say(card.step, `step ${whole(facts.step)}`);
    card.element.title = facts.milestone ? `furthest: ${words(facts.milestone)}` : "";
  }

  add(game) {
    const canvas = make("canvas");
    const place = make("span"), reward = make("b"), party = make("span"), step = make("span", "quiet");
    const facts = make("div", "facts", make("div", "row", place, reward), make("div", "row", party, step));
    const element = make("button", "game", canvas, facts);
    element.dataset.game = game;
    element.addEventListener("click", () => this.choose(game));
    const before = [...this.cards.entries()].find(([other]) => other > game);
    $("#wall").insertBefore(element, before ? before[1].element : null);
    const card = { element, canvas, place, reward, party, step };
    this.size(card);
    return card;
  }

  /** Pictures as large as all fit, a whole number of the screen's pixels for one of the game's. */
  fit() {
    const area = $("#games"), ratio = window.devicePixelRatio || 1;
    if (!area.clientWidth || !this.total) return;
    const pixels = this.half ? 120 : 240;
    const width = $("#wall").clientWidth, height = area.clientHeight - 70;
    const sizes = [];
    for (let scale = 1; scale <= 12; scale++) sizes.push((pixels * scale) / ratio);
    // smaller ones could not be read: the wall scrolls instead, and as little as possible stays empty
    const readable = sizes.filter((size) => size >= (this.half ? 110 : 150) && size <= width).slice(0, 2);
    const used = (size) => Math.floor((width + GAP) / (size + 2 + GAP)) * size;
    const least = readable.reduce((best, size) => (used(size) > used(best) ? size : best), readable[0] ?? sizes[0]);
    const fits = (size) => {
      const columns = Math.max(1, Math.floor((width + GAP) / (size + 2 + GAP)));
      return size + 2 <= width && Math.ceil(this.total / columns) * (size * (2 / 3) + 48 + GAP) <= height;
    };
    this.width = sizes.filter((size) => size >= readable[0] && fits(size)).pop() ?? least;
    this.cards.forEach((card) => this.size(card));
  }

  size(card) {
    const width = this.width ?? 240;
    card.canvas.style.width = `${width}px`;
    card.canvas.style.height = `${(width * 2) / 3}px`;
    card.element.style.width = `${width + 2}px`;
  }

  sort() {
    this.sorted = performance.now();
    const key = $("#sort").value;
    const order = [...this.cards.values()].sort((a, b) =>
      key === "game" ? a.facts.game - b.facts.game
        : (b.facts[key] ?? 0) - (a.facts[key] ?? 0) || a.facts.game - b.facts.game);
    const wall = $("#wall");
    order.forEach((card, place) => {
      if (wall.children[place] !== card.element) wall.insertBefore(card.element, wall.children[place]);
    });
  }

  count(changed) {
    const now = performance.now();
    this.frames.push([now, changed]);
    while (this.frames.length && now - this.frames[0][0] > 4000) this.frames.shift();
    const pictures = this.frames.reduce((sum, [, count]) => sum + count, 0);
    const seconds = Math.max(0.5, (now - this.frames[0][0]) / 1000);
    this.perGame = pictures / seconds / Math.max(1, this.total);
    say($("#rate"), `${this.total} games, ${this.perGame.toFixed(1)} pictures a second of each`);
  }

  choose(game) {
    this.chosen = game === this.chosen ? null : game;
    this.values = [];
    this.cards.forEach((card, number) =>
      card.element.setAttribute("aria-pressed", String(number === this.chosen)));
    $("#large").hidden = this.chosen === null;
    if (this.chosen !== null) say($("#large h2"), `Game ${this.chosen}`);
    this.fit();
    this.onChoose();
  }

  key(event) {
    if (this.chosen === null || event.target.matches("select, input")) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.choose(this.chosen);
    else if (step) this.choose((this.chosen + step + this.total) % this.total);
  }

  showLarge(facts) {
    if (facts.large !== this.chosen) return;
    const canvas = $("#large canvas"), ratio = window.devicePixelRatio || 1;
    const room = $("#large").clientWidth - 30;
    const scale = Math.max(1, Math.floor((room * ratio) / 240));
    canvas.style.width = `${(240 * scale) / ratio}px`;
    canvas.style.height = `${(160 * scale) / ratio}px`;
    canvas.getContext("2d").putImageData(facts.pictures[0], 0, 0);
    const card = this.cards.get(facts.large)?.facts ?? {};
    say($("#large-sum"), `reward ${short(card.reward ?? 0)} after ${whole(card.step ?? 0)} steps` +
      ` of episode ${whole(card.episode ?? 0)}; value ${short(facts.value)}`);
    this.showThoughts(facts);
    this.showPaid(facts);
    $("#state").replaceChildren(...facts.lines.flatMap(([name, text]) =>
      [make("dt", "", name), make("dd", "", text)]));
    const names = facts.milestones.map((name) => make("span", "", words(name)));
    $("#reached").replaceChildren(...(names.length ? names : [make("span", "", "none yet")]));
  }

  showThoughts(facts) {
    const largest = Math.max(...facts.probabilities, 0.01);
    $("#thoughts").replaceChildren(...facts.actions.map((name, action) => {
      const share = facts.probabilities[action] ?? 0, bar = make("i");
      bar.style.width = `${(100 * share) / largest}%`;
      const row = make("div", "bar", make("span", "", words(name)), bar, make("span", "", `${(100 * share).toFixed(0)} %`));
      row.classList.toggle("chosen", action === facts.action);
      return row;
    }));
    this.values.push(facts.value);
    if (this.values.length > 240) this.values.shift();
    drawLine($("#values"), this.values);
  }

  showPaid(facts) {
    const now = Object.entries(facts.paid).map(([name, amount]) => {
      const row = make("div", "paid now", make("span", "", `${words(name)}, ${whole(facts.paid_ago)} steps ago`), make("span", "", `+${short(amount)}`));
      return row;
    });
    const sums = Object.entries(facts.sums).sort((a, b) => b[1] - a[1]).map(([name, amount]) =>
      make("div", "paid", make("span", "", `${words(name)}, this episode`), make("span", "", short(amount))));
    const rows = [...now, ...sums];
    $("#paid").replaceChildren(...(rows.length ? rows : [make("div", "quiet", "nothing yet")]));
  }
}

function drawLine(canvas, values) {
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const low = Math.min(...values), high = Math.max(...values, low + 1e-6);
  pen.strokeStyle = colour("--one");
  pen.lineWidth = 2;
  pen.beginPath();
  values.forEach((value, index) =>
    pen.lineTo((index / 239) * canvas.width, 4 + (1 - (value - low) / (high - low)) * (canvas.height - 8)));
  pen.stroke();
}
