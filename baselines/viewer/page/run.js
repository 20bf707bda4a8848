import { $, getJson, make, short, whole, words } from "./dom.js";

const REFRESH = 10000, SOON = 200, WIDTH = 320, HEIGHT = 130, LEFT = 38, BOTTOM = 16;
const COLOURS = ["--one", "--two", "--three", "--four"];
const SEVERITY = { note: "var(--one)", warning: "var(--warn)", critical: "var(--bad)" };
const SVG = "http://www.w3.org/2000/svg";

function svg(tag, values, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Curves, findings, the funnel and clips; other sessions beside it. */
export class Run {
  constructor() {
    this.others = [];
    this.reports = new Map();
  }

  open(base) {
    this.base = base;
    this.others = [];
    this.reports.clear();
    $("#charts").replaceChildren(make("p", "quiet", "Reading the session…"));
    for (const name of ["#findings", "#funnel", "#clips"]) $(name).replaceChildren();
    this.clipKey = null;
    if (this.visible) this.refresh();
  }

  setVisible(visible) {
    this.visible = visible;
    clearTimeout(this.timer);
    if (visible && this.base) this.refresh();
  }

  setSessions(sessions, own) {
    const key = JSON.stringify([own, sessions.map((one) => one.name)]);
    if (key === this.key) return;
    this.key = key;
    this.others = this.others.filter((other) => sessions.some((one) => one.name === other.name));
    const buttons = sessions.filter((one) => one.name !== own).slice(0, 12).map((one) => {
      const button = make("button", "", one.shown);
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => this.toggle(one, button));
      return button;
    });
    $("#others").replaceChildren(...(buttons.length ? buttons : [make("span", "quiet", "no other session")]));
    this.mark();
  }

  toggle(one, button) {
    const known = this.others.findIndex((other) => other.name === one.name);
    if (known >= 0) this.others.splice(known, 1);
    else if (this.others.length < COLOURS.length - 1) this.others.push(one);
    this.mark();
    this.refresh();
    button.blur();
  }

  /** Gives the buttons of sessions that are shown the colours of their curves. */
  mark() {
    for (const each of $("#others").querySelectorAll("button")) {
      const place = this.others.findIndex((other) => other.shown === each.textContent);
      each.setAttribute("aria-pressed", String(place >= 0));
      each.style.color = place >= 0 ? `var(${COLOURS[place + 1]})` : "";
    }
  }

  async refresh() {
    clearTimeout(this.timer);
    const base = this.base;
    const beside = this.others.map((one) => // null: it has vanished, or cannot be read
      getJson(`s/${encodeURIComponent(one.name)}/run`).catch(() => null));
    try {
      const reports = await Promise.all([getJson(`${base}/run`), ...beside]);
      if (base !== this.base) return;
      this.more = reports.some((report) => report?.more);
      this.show(reports);
    } catch (error) {
      if (base !== this.base) return;
      $("#charts").replaceChildren(make("p", "quiet", `The run cannot be shown: ${error.message}`));
    }
    if (this.visible) this.timer = setTimeout(() => this.refresh(), this.more ? SOON : REFRESH);
  }

  show(reports) {
    const [own] = reports;
    const last = Math.max(...reports.map((one) => one?.steps ?? 0), 1);
    $("#charts").replaceChildren(...own.curves.map((curve, index) =>
      chart(curve.title, reports.map((one) => one?.curves[index].points ?? []), last, own.findings, own.under_way[curve.name])));
    const findings = [...own.findings].reverse().map((one) => finding(one));
    const now = own.wrong.length ? `${own.health}: ${own.wrong.map(words).join(", ")}.`
      : own.lacking ? `Nothing is wrong, but it is too little to judge: ${own.lacking}.`
      : own.steps ? "Nothing is wrong." : "Nothing is known yet: the first update is under way.";
    $("#findings").replaceChildren(make("p", "quiet", now), ...findings);
    $("#funnel").replaceChildren(...(own.funnel.length ? own.funnel.map(row)
      : [make("p", "quiet", own.curves[0].points.length ? "No milestone was reached yet." : "No episode has ended yet.")]));
    this.showClips(own.clips);
  }

  showClips(clips) {
    const key = JSON.stringify(clips);
    if (key === this.clipKey) return; // a video that plays is left alone
    this.clipKey = key;
    $("#clips").replaceChildren(...(clips.length ? clips.map((clip) => {
      const video = make("video");
      Object.assign(video, { controls: true, preload: "metadata", loop: true, muted: true });
      video.src = `${this.base}/clips/${encodeURIComponent(clip.file)}`;
      const title = make("div", "", make("strong", "", words(clip.milestone)));
      return make("figure", "", video, make("figcaption", "", title, make("span", "quiet", clip.what)));
    }) : [make("p", "quiet", "No milestone was filmed yet.")]));
  }
}

/** A number that fits beside an axis: what is next to nothing on it is 0. */
function tick(value, range) {
  if (Math.abs(value) < range / 50) return "0";
  return Math.abs(value) < 0.01 ? Number(value.toPrecision(1)).toString() : short(value);
}

function chart(title, curves, last, findings, underWay) {
  const all = curves.flat();
  const figure = make("div", "chart", make("h3", "", title));
  if (!all.length) {
    if (underWay === undefined) figure.append(make("p", "quiet", "not measured yet"));
    else figure.append(make("b", "", short(underWay)), make("p", "quiet", "so far, a mean of all games: no episode has ended yet"));
    return figure;
  }
  let low = Math.min(...all.map((point) => point[1])), high = Math.max(...all.map((point) => point[1]));
  if (low > 0 && low < high / 2) low = 0;
  if (high === low) high = low + 1;
  const x = (steps) => LEFT + (steps / last) * (WIDTH - LEFT - 4);
  const y = (value) => 6 + (1 - (value - low) / (high - low)) * (HEIGHT - BOTTOM - 8);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  for (const value of [low, (low + high) / 2, high]) {
    picture.append(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - 4, y1: y(value), y2: y(value) }));
    picture.append(svg("text", { x: LEFT - 5, y: y(value) + 3, "text-anchor": "end" }, tick(value, high - low)));
  }
  picture.append(svg("text", { x: LEFT, y: HEIGHT - 3 }, "0"));
  picture.append(svg("text", { x: WIDTH - 4, y: HEIGHT - 3, "text-anchor": "end" }, `${whole(last)} steps`));
  for (const one of findings) {
    const width = Math.max(2, x(Math.min(one.until ?? last, last)) - x(one.since));
    const mark = svg("rect", { x: x(one.since), y: 2, width, height: HEIGHT - BOTTOM - 2, fill: SEVERITY[one.severity] ?? SEVERITY.note, opacity: 0.13 });
    mark.append(svg("title", {}, `${words(one.code)}: ${one.evidence}`));
    picture.append(mark);
  }
  curves.forEach((points, index) => {
    const line = points.map(([steps, value], place) => `${place ? "L" : "M"}${x(steps).toFixed(1)} ${y(value).toFixed(1)}`);
    const path = svg("path", { d: line.join("") });
    path.style.stroke = `var(${COLOURS[index]})`; // the page forbids styles in attributes
    picture.append(path);
  });
  const own = curves[0].at(-1);
  figure.append(make("b", "", own ? short(own[1]) : "–"), picture);
  return figure;
}

function finding(one) {
  const when = one.until === null ? `since step ${whole(one.since)}` : `steps ${whole(one.since)} to ${whole(one.until)}`;
  const box = make("article", `finding ${one.severity in SEVERITY ? one.severity : "note"}`,
    make("div", "title", make("span", "", words(one.code)), make("span", "quiet", `${one.severity}, ${when}`)),
    make("p", "", one.meaning), make("p", "quiet", one.evidence));
  if (one.advice.length && one.until === null)
    box.append(make("ul", "", ...one.advice.map((text) => make("li", "", text))));
  return box;
}

function row(one) {
  const bar = make("i");
  bar.style.width = `${100 * one.share}%`;
  const line = make("div", "bar", make("span", "", words(one.milestone)), bar,
    make("span", "", `${(100 * one.share).toFixed(0)} %`), make("span", "quiet", `first at ${whole(one.first)}`));
  line.title = one.what;
  return line;
}
