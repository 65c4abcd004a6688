// Drawing: the board with its stones, and the plots of a game. No state but what it is given.

const SVG = "http://www.w3.org/2000/svg";
const CELL = 40, MARGIN = 48, STONE = 18;

function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function pointName([x, y]) {
  return String.fromCharCode(97 + x) + (y + 1);
}

function at([x, y]) {
  return [MARGIN + x * CELL, MARGIN + y * CELL];
}

function gradient(id, stops, attributes) {
  const kind = id === "wood" ? "linearGradient" : "radialGradient";
  const children = stops.map(([offset, colour]) =>
    element("stop", { offset, "stop-color": colour }));
  return element(kind, { id, ...attributes }, ...children);
}

function definitions() {
  const grain = element("pattern",
    { id: "grain", width: 320, height: 96, patternUnits: "userSpaceOnUse" },
    element("path", {
      d: "M0 10q80-9 160 0t160 0M0 27q80 7 160 0t160 0M0 49q80-5 160 0t160 0" +
         "M0 66q80 11 160 0t160 0M0 85q80-6 160 0t160 0",
      fill: "none", stroke: "#a8702c", "stroke-opacity": 0.16, "stroke-width": 1.6,
    }));
  return element("defs", {},
    gradient("wood", [[0, "#f0cd8d"], [0.5, "#e5bb73"], [1, "#d9a95c"]],
      { x1: 0, y1: 0, x2: 1, y2: 1 }),
    grain,
    gradient("black", [[0, "#7d7d7d"], [0.35, "#383838"], [1, "#060606"]],
      { cx: 0.36, cy: 0.3, r: 0.75 }),
    gradient("white", [[0, "#ffffff"], [0.6, "#f1f0ec"], [1, "#bdbab2"]],
      { cx: 0.36, cy: 0.3, r: 0.8 }));
}

function starPoints(width, height) {
  const near = (side) => {
    if (side < 9) return [];
    const inset = side > 12 ? 3 : 2;
    return [inset, side - 1 - inset];
  };
  const stars = near(width).flatMap((x) => near(height).map((y) => [x, y]));
  if (width % 2 && height % 2) stars.push([(width - 1) / 2, (height - 1) / 2]);
  return stars;
}

function label(x, y, text, size, colour, bold = false) {
  return element("text", {
    x, y, fill: colour, "font-size": size, "text-anchor": "middle",
    ...(bold ? { "font-weight": 700 } : {}),
  }, text);
}

// An empty board of that size in an <svg>; returns the layer for the stones.
function drawBoard(svg, width, height) {
  const right = MARGIN + (width - 1) * CELL, bottom = MARGIN + (height - 1) * CELL;
  const box = { x: 0, y: 0, width: right + MARGIN, height: bottom + MARGIN };
  svg.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  const lines = [];
  for (let y = 0; y < height; y += 1) lines.push(`M${MARGIN} ${at([0, y])[1]}H${right}`);
  for (let x = 0; x < width; x += 1) lines.push(`M${at([x, 0])[0]} ${MARGIN}V${bottom}`);
  const parts = [
    definitions(),
    element("rect", { ...box, fill: "url(#wood)" }),
    element("rect", { ...box, fill: "url(#grain)" }),
    element("path", { d: lines.join(""), stroke: "#4a3216", "stroke-width": 1.2,
      "stroke-linecap": "square" }),
    element("rect", { x: MARGIN, y: MARGIN, width: right - MARGIN, height: bottom - MARGIN,
      fill: "none", stroke: "#4a3216", "stroke-width": 2.4 }),
  ];
  for (const star of starPoints(width, height)) {
    const [cx, cy] = at(star);
    parts.push(element("circle", { cx, cy, r: 4, fill: "#4a3216" }));
  }
  for (let x = 0; x < width; x += 1) {
    const name = String.fromCharCode(97 + x);
    for (const y of [20, box.height - 10]) parts.push(label(at([x, 0])[0], y, name, 14, "#5b3f1d"));
  }
  for (let y = 0; y < height; y += 1) {
    for (const x of [15, box.width - 15]) {
      parts.push(label(x, at([0, y])[1] + 5, String(y + 1), 14, "#5b3f1d"));
    }
  }
  const layer = element("g", { id: "stones" });
  svg.replaceChildren(...parts, layer);
  return layer;
}

function ring([x, y], r, colour) {
  return element("circle", { cx: x, cy: y, r, fill: "none", stroke: colour, "stroke-width": 3 });
}

// Stones of a game in which colours take turns, Black first.
function inTurn(points) {
  return points.map((point, index) => ({ point, white: index % 2 === 1, number: index + 1 }));
}

// Stones: each with its point, whether it is white, and its number, 0 for none; the last one is
// marked. numbers: show them. line: the points that won, or []; foul: the last one is forbidden.
function drawStones(layer, stones, { numbers, line, foul }) {
  const parts = [];
  if (line.length) {
    const [x1, y1] = at(line[0]), [x2, y2] = at(line[line.length - 1]);
    parts.push(element("line", { x1, y1, x2, y2, stroke: "#2e9e4f", "stroke-width": 12,
      "stroke-linecap": "round", class: "won" }));
  }
  for (const { point, white } of stones) {
    const [cx, cy] = at(point);
    parts.push(
      element("circle", { cx: cx + 1.5, cy: cy + 2.5, r: STONE, fill: "#2b1a05",
        "fill-opacity": 0.3 }),
      element("circle", { cx, cy, r: STONE, fill: `url(#${white ? "white" : "black"})`,
        stroke: white ? "#8f8c84" : "#000", "stroke-width": 0.7,
        class: `stone ${white ? "white" : "black"}` }));
  }
  for (const point of line) parts.push(ring(at(point), STONE - 1, "#2e9e4f"));
  stones.forEach(({ point, white, number }, index) => {
    const [cx, cy] = at(point), last = number > 0 && index === stones.length - 1;
    if (numbers && number) {
      const size = number < 100 ? 16 : 13;
      const ink = last ? (white ? "#c62018" : "#ff8378") : (white ? "#1b1b1b" : "#fff");
      parts.push(label(cx, cy + size * 0.36, String(number), size, ink, true));
    }
    if (last && !line.length) parts.push(ring([cx, cy], numbers ? STONE - 1 : 8, "#e0392b"));
    else if (last && !numbers) parts.push(ring([cx, cy], 8, "#e0392b"));
    if (last && foul) {
      parts.push(element("path", { d: `M${cx - 8} ${cy - 8}l16 16m0-16l-16 16`,
        stroke: "#e0392b", "stroke-width": 4, "stroke-linecap": "round" }));
    }
  });
  layer.replaceChildren(...parts);
}

// Values of any size between -1 and 1, small ones still apart.
function squash(value) {
  return value / (Math.abs(value) + 250);
}

const CHART = { width: 360, height: 150, left: 8, right: 352, middle: 75, reach: 62 };

function chartX(ply, plies) {
  return CHART.left + (CHART.right - CHART.left) * (plies > 1 ? (ply - 1) / (plies - 1) : 0.5);
}

function nowLine(height) {
  return element("line", { class: "now", x1: -9, x2: -9, y1: 0, y2: height });
}

// What each player thought of the game, both from Black's side; up is good for Black.
function drawScores(svg, scores, opening, plies) {
  svg.setAttribute("viewBox", `0 0 ${CHART.width} ${CHART.height}`);
  const parts = [
    element("line", { class: "axis", x1: CHART.left, x2: CHART.right, y1: CHART.middle,
      y2: CHART.middle }),
    element("text", { x: CHART.left + 2, y: 15 }, "Black better"),
    element("text", { x: CHART.left + 2, y: CHART.height - 7 }, "White better"),
  ];
  for (const side of [0, 1]) {
    const known = [];
    scores.forEach((score, index) => {
      const ply = opening + index + 1;
      if (score === null || (ply - 1) % 2 !== side) return;
      const view = side ? -score : score;
      known.push([chartX(ply, plies), CHART.middle - squash(view) * CHART.reach]);
    });
    const name = side ? "w" : "b";
    if (known.length > 1) {
      const d = "M" + known.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      parts.push(element("path", { class: name, d }));
    } else if (known.length) {
      const [[cx, cy]] = known;
      parts.push(element("circle", { class: `fill ${name}`, cx, cy, r: 3 }));
    }
  }
  const line = nowLine(CHART.height);
  svg.replaceChildren(...parts, line);
  return line;
}

// How long each move took.
function drawTimes(svg, times, opening, plies) {
  const height = 56;
  svg.setAttribute("viewBox", `0 0 ${CHART.width} ${height}`);
  const most = Math.max(1, ...times), room = (CHART.right - CHART.left) / Math.max(1, plies - 1);
  const parts = times.map((time, index) => {
    const ply = opening + index + 1, tall = Math.max(1, (height - 10) * time / most);
    const wide = Math.max(1, Math.min(8, room * 0.7));
    return element("rect", { class: (ply - 1) % 2 ? "fill w" : "fill",
      x: (chartX(ply, plies) - wide / 2).toFixed(1), y: (height - 4 - tall).toFixed(1),
      width: wide.toFixed(1), height: tall.toFixed(1), rx: 1 });
  });
  const line = nowLine(height);
  svg.replaceChildren(...parts, line);
  return line;
}
