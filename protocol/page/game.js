// The board of a reviewed game, with its best moves. Needs board.js and page.js before it.

const HUES = ["#1d7d4a", "#2f6f9e", "#7a5aa8", "#8a6a2c"];  // of the best move, the second ...
const MARKS = { inaccuracy: "#b98a00", mistake: "#d46a0c", blunder: "#c62f26", "": "#1f6f8b" };
const KINDS = {
  3: ["double three", "#c62828"], 4: ["double four", "#6a1b9a"], 6: ["overline", "#1257a8"],
};

function unpacked([standing, forbidden, lines, remarks, [sign, mark, called], words]) {
  return { standing, remarks, sign, mark, called, words,
    forbidden: forbidden.map((text) => [points(text.slice(0, 2))[0], text[2]]),
    lines: lines.map(([way, worth, short, text]) => ({ way: points(way), worth, short, text })) };
}

const COURSES = [];
for (const { branch, above, start, moves, won, foul, moments } of DATA.courses) {
  const before = COURSES[above] || { moves: [], moments: [] };
  COURSES.push({ branch, foul, won: points(won),
    moves: [...before.moves.slice(0, start), ...moves.map((move) => points(move)[0] || null)],
    moments: [...before.moments.slice(0, start), ...moments.map(unpacked)] });
}
const [BLACK, WHITE, WALLS] = DATA.set.map(points);

const state = { course: COURSES[0], ply: 0, line: -1, address: 0, ready: false };
const layer = drawBoard(get("board"), DATA.width, DATA.height);
const under = element("g", { id: "under" }), over = element("g", { id: "over" });
layer.before(under);
layer.after(over);

const colourAt = (ply) => ((ply + DATA.first) % 2 ? "White" : "Black");
const same = (a, b) => a && b && a[0] === b[0] && a[1] === b[1];

// --- the board ----------------------------------------------------------------------------------

function stonesAt(ply) {
  const laid = [...BLACK.map((point) => ({ point, white: false, number: 0 })),
    ...WHITE.map((point) => ({ point, white: true, number: 0 }))];
  state.course.moves.slice(0, ply).forEach((point, index) => {
    if (point) laid.push({ point, white: colourAt(index) === "White", number: index + 1 });
  });
  return laid;
}

function cross([x, y], kind) {
  const [name, colour] = KINDS[kind], [cx, cy] = at([x, y]);
  return element("g", { class: "forbidden" }, element("title", {}, `forbidden: ${name}`),
    element("path", { d: `M${cx - 7} ${cy - 7}l14 14m0-14l-14 14`, stroke: colour,
      "stroke-width": 3.6, "stroke-linecap": "round" }),
    label(cx + 12, cy + 15, kind, 12, colour, true));
}

function wall(point) {
  const [x, y] = at(point);
  return element("rect", { x: x - 14, y: y - 14, width: 28, height: 28, rx: 4, fill: "#8a6a43",
    stroke: "#5b3f1d", "stroke-width": 1.5 });
}

function hint({ way, worth, short }, rank, played) {
  const [cx, cy] = at(way[0]), colour = HUES[Math.min(rank, HUES.length - 1)];
  const parts = [
    element("title", {}, `${pointName(way[0])}: ${worth}`),
    element("circle", { cx, cy, r: 16, fill: colour, "fill-opacity": rank ? 0.78 : 0.92 }),
    label(cx, cy + 5, short, short.length > 2 ? 12 : 14, "#fff", true),
  ];
  if (played) parts.push(ring([cx, cy], 18, "#fff"));
  return element("g", { class: "hint" }, ...parts);
}

function ghosts(way, ply) {  // a line of moves, numbered from 1
  return way.map((point, index) => {
    const white = colourAt(ply + index) === "White", [cx, cy] = at(point);
    return element("g", { class: "ghost" },
      element("circle", { cx, cy, r: STONE - 1, fill: `url(#${white ? "white" : "black"})`,
        "fill-opacity": 0.82, stroke: HUES[0], "stroke-width": 2.4 }),
      label(cx, cy + 5, String(index + 1), 14, white ? "#14532d" : "#b9f3cf", true));
  });
}

function badge(point, { sign, mark }) {  // beside a stone: what its move is called
  const [x, y] = at(point), wide = 8 + 4 * sign.length;
  return element("g", { class: "badge" },
    element("rect", { x: x + 7, y: y - 24, width: 2 * wide, height: 18, rx: 9, fill: MARKS[mark],
      stroke: "#fff", "stroke-width": 1.5 }),
    label(x + 7 + wide, y - 10.5, sign, 13, "#fff", true));
}

function draw() {
  const { course, ply } = state, moment = course.moments[ply];
  const ended = ply === course.moves.length, next = course.moves[ply];
  const chosen = moment.lines[state.line];
  const hinted = get("hints").checked && !chosen ? moment.lines : [];
  drawStones(layer, stonesAt(ply), {
    numbers: get("numbers").checked,
    line: ended ? course.won : [],
    foul: ended && course.foul,
  });
  const crosses = moment.forbidden.map(([point, kind]) => cross(point, kind));
  under.replaceChildren(...WALLS.map(wall), ...crosses);
  const crossed = ([point]) => moment.forbidden.some(([other]) => same(point, other));
  const parts = chosen ? ghosts(chosen.way, ply) : hinted.flatMap((line, rank) =>
    crossed(line.way) ? [] : [hint(line, rank, same(line.way[0], next))]);
  const before = ply ? course.moments[ply - 1] : null, last = ply ? course.moves[ply - 1] : null;
  if (last && before.sign) parts.push(badge(last, before));
  over.replaceChildren(...parts);
}

// --- the words beside it ------------------------------------------------------------------------

function describe(course, ply) {
  const moment = course.moments[ply];
  if (ply === 0) return `Before the first move · ${moment.standing}`;
  const move = course.moves[ply - 1], { sign } = course.moments[ply - 1];
  const name = move ? pointName(move) : "pass";
  return `${ply}. ${colourAt(ply - 1)} ${name}${sign} · ${moment.standing}`;
}

function tell() {
  const { course, ply } = state, moment = course.moments[ply];
  const words = describe(course, ply);
  get("status").textContent = words;
  get("ply").setAttribute("aria-valuetext", words);
  get("board").setAttribute("aria-label", `The board: ${words}`);
  const before = ply ? course.moments[ply - 1] : { called: "", words: [] };
  const kind = before.mark || (before.sign ? "only" : "");
  get("said").replaceChildren(
    ...(before.called ? [make("p", { class: `label ${kind}` }, before.called)] : []),
    ...before.words.map((text) => make("p", {}, text)));
  get("remarks").replaceChildren(...moment.remarks.map((text) => make("li", {}, text)));
  get("whose").textContent = moment.lines.length ? `Best for ${colourAt(ply)} now:` : "";
  get("lines").replaceChildren(...moment.lines.map((line, index) => {
    const played = same(line.way[0], course.moves[ply]);
    const button = make("button", { type: "button", "aria-pressed": index === state.line },
      make("span", { class: "worth" },
        `${pointName(line.way[0])} ${line.worth}${played ? " (played)" : ""}`),
      make("span", { class: played ? "line played" : "line" }, line.text));
    button.addEventListener("click", () => choosing(index));
    return make("li", {}, button);
  }));
}

function choosing(index) {  // a line to be shown on the board, or no more
  stop();
  state.line = state.line === index ? -1 : index;
  [...get("lines").querySelectorAll("button")].forEach((button, at) =>
    button.setAttribute("aria-pressed", at === state.line));
  draw();
}

// --- stepping -----------------------------------------------------------------------------------

function go(ply) {
  const { course } = state, last = course.moves.length;
  state.ply = Math.max(0, Math.min(last, ply));
  state.line = -1;
  get("ply").value = state.ply;
  draw();
  tell();
  for (const line of document.querySelectorAll(".chances .now")) {
    const [, , left, right, top, bottom] = DATA.chart;
    const x = left + (right - left) * state.ply / Math.max(1, last);
    line.setAttribute("d", `M${x.toFixed(1)} ${top}V${bottom}`);
  }
  choose(get("moves").children[state.ply - 1], get("moves"));
  for (const [id, off] of [["first", state.ply === 0], ["back", state.ply === 0],
    ["forward", state.ply === last], ["last", state.ply === last],
    ["worse-back", marked(-1) === null], ["worse-forward", marked(1) === null]]) {
    if (off && document.activeElement === get(id)) get("viewer").focus({ preventScroll: true });
    get(id).disabled = off;
  }
  remember();
}

function marked(by) {  // the next position, that way, after a move with a mark
  const { moments, moves } = state.course;
  for (let ply = state.ply + by; ply >= 1 && ply <= moves.length; ply += by) {
    if (moments[ply - 1].mark) return ply;
  }
  return null;
}

function toMarked(by) {
  const ply = marked(by);
  stop();
  if (ply !== null) go(ply);
}

function open(at, ply = null) {
  stop();
  const course = COURSES[at];
  state.course = course;
  if (get("course")) get("course").value = at;
  for (const chart of document.querySelectorAll("[data-chart]")) {
    chart.classList.toggle("hidden", Number(chart.dataset.chart) !== at);
  }
  get("ply").max = course.moves.length;
  get("moves").replaceChildren(...course.moves.map((point, index) => {
    const { sign, mark } = course.moments[index];
    const button = make("button", { type: "button", class: mark }, make("i", {}, String(index + 1)),
      point ? pointName(point) : "pass", ...(sign ? [make("b", {}, sign)] : []));
    button.addEventListener("click", () => { stop(); go(index + 1); });
    return button;
  }));
  go(ply === null ? course.moves.length : ply);
}

function remember() {  // in the address, so that it can be sent; not at every step of a slider
  clearTimeout(state.address);
  if (!state.ready) return;
  const { branch } = state.course, address = branch ? `#${branch}.${state.ply}` : `#${state.ply}`;
  state.address = setTimeout(() => history.replaceState(null, "", address), 300);
}

function fromAddress() {
  const wanted = /^#(?:(\d+)\.)?(\d+)$/.exec(location.hash);
  if (!wanted) return false;
  const at = COURSES.findIndex(({ branch }) => branch === Number(wanted[1] || 0));
  if (at < 0) return false;
  open(at, Number(wanted[2]));
  return true;
}

function toggle() {
  if (playing) return stop();
  if (state.ply === state.course.moves.length) go(0);
  play(() => {
    go(state.ply + 1);
    return state.ply < state.course.moves.length;
  });
}

function jump(event) {  // a click into the curve: to that move
  const [width, , left, right] = DATA.chart, box = event.currentTarget.getBoundingClientRect();
  const x = width * (event.clientX - box.left) / box.width;
  stop();
  go(Math.round((x - left) / (right - left) * state.course.moves.length));
}

function key(event) {
  if (!keysAreFree(event)) return;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const ends = get("viewer").contains(document.activeElement)
    ? { Home: 0, End: state.course.moves.length } : {};
  if (by && event.shiftKey) toMarked(by);
  else if (by) { stop(); go(state.ply + by); }
  else if (event.key in ends) { stop(); go(ends[event.key]); }
  else return;
  event.preventDefault();
}

function swipes(box) {  // to the left: forward; to the right: back
  let from = null;
  box.addEventListener("touchstart", (event) => {
    from = event.touches.length === 1 ? event.touches[0] : null;
  }, { passive: true });
  box.addEventListener("touchend", (event) => {
    if (!from) return;
    const to = event.changedTouches[0], dx = to.clientX - from.clientX;
    const dy = to.clientY - from.clientY;
    from = null;
    if (Math.abs(dx) < 30 || Math.abs(dx) < 1.5 * Math.abs(dy)) return;
    stop();
    go(state.ply + (dx < 0 ? 1 : -1));
  }, { passive: true });
}

function start() {
  document.documentElement.dataset.on = "";
  const clicks = { play: toggle, theme, first: () => go(0), back: () => go(state.ply - 1),
    forward: () => go(state.ply + 1), last: () => go(state.course.moves.length),
    "worse-back": () => toMarked(-1), "worse-forward": () => toMarked(1) };
  for (const [id, does] of Object.entries(clicks)) {
    get(id).addEventListener("click", () => {
      if (["first", "back", "forward", "last"].includes(id)) stop();
      does();
    });
  }
  get("ply").addEventListener("input", () => { stop(); go(Number(get("ply").value)); });
  for (const id of ["numbers", "hints"]) get(id).addEventListener("change", draw);
  get("speed").addEventListener("change", () => { if (playing) { stop(); toggle(); } });
  if (get("course")) {
    get("course").addEventListener("change", () => open(Number(get("course").value)));
  }
  for (const chart of document.querySelectorAll(".chances")) chart.addEventListener("click", jump);
  for (const row of document.querySelectorAll(".all tr[id]")) {  // without scripts: to the row
    row.removeAttribute("id");
    row.querySelector("a").addEventListener("click", () => get("viewer").scrollIntoView());
  }
  swipes(get("board"));
  document.addEventListener("keydown", key);
  window.addEventListener("hashchange", fromAddress);
  if (fromAddress()) get("viewer").scrollIntoView({ behavior: "instant" });
  else open(0);
  state.ready = true;
}

start();
