// The list of games with its filter, and the viewer. Needs board.js and page.js before it.

const PAGE = 200;
const RESULTS = ["0–1", "½–½", "1–0"];
const GAMES = DATA.games.map(([number, pair, black, white, result, reason, fault, detail,
  opening, moves, times, scores, nodes, line, events, offences]) => ({
  number, pair, black, white, result, reason: DATA.reasons[reason], fault: Boolean(fault), detail,
  opening, moves: points(moves), times, scores, nodes, line: points(line), events, offences,
}));

const state = { shown: GAMES, listed: 0, game: null, ply: 0, now: [], address: 0, ready: false };
const layer = drawBoard(get("board"), DATA.width, DATA.height);

function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}

function count(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(1)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  return number >= 1e4 ? `${Math.round(number / 1e3)} k` : String(number);
}

// --- the list -----------------------------------------------------------------------------------

function matches(game, { player, other, colour, result, reason, text }) {
  const sides = [game.black, game.white];
  if (player !== "" && !sides.includes(Number(player))) return false;
  if (other !== "" && !sides.includes(Number(other))) return false;
  if (other !== "" && other === player) return false;
  if (colour !== "" && player !== "" && sides[Number(colour)] !== Number(player)) return false;
  if (reason === "fault" ? !game.fault : reason !== "" && game.reason !== reason) return false;
  if (result !== "") {
    const black = game.result / 2;
    const mine = player !== "" && Number(player) === game.white ? 1 - black : black;
    const wanted = { black: black === 1, white: black === 0, draw: black === 0.5,
      won: mine === 1, lost: mine === 0 };
    if (!wanted[result]) return false;
  }
  if (text === "") return true;
  const words = [`#${game.number}`, game.number, DATA.players[game.black],
    DATA.players[game.white], game.reason, game.detail].join(" ").toLowerCase();
  return words.includes(text.toLowerCase());
}

function filterNow() {
  const wanted = {};
  for (const name of ["player", "other", "colour", "result", "reason", "text"]) {
    wanted[name] = get(`by-${name}`).value.trim();
  }
  const nobody = wanted.player === "";
  get("by-colour").disabled = nobody;
  for (const option of get("by-result").options) {
    option.disabled = nobody && ["won", "lost"].includes(option.value);
    if (option.disabled && option.selected) get("by-result").value = wanted.result = "";
  }
  state.shown = GAMES.filter((game) => matches(game, wanted));
  state.listed = 0;
  get("list").replaceChildren();
  more();
  const all = GAMES.length, some = state.shown.length;
  get("count").textContent = some === all ? `${all} games` : `${some} of ${all} games`;
  get("none").classList.toggle("hidden", some > 0);
}

function row(game) {
  const half = { 0: "0", 1: "½", 2: "1" };
  const button = make("button", { class: "game", type: "button", "data-number": game.number },
    make("span", { class: "at" }, `#${game.number}`));
  const sides = [["black", game.black, game.result], ["white", game.white, 2 - game.result]];
  for (const [colour, player, result] of sides) {
    button.append(
      make("span", { class: result === 2 ? "who won" : "who" }, disc(colour),
        DATA.players[player]),
      make("span", { class: "points" }, half[result]));
    if (colour === "black") continue;
    const why = `${game.reason} · ${game.moves.length} stones`;
    button.append(make("span", { class: game.fault ? "why fault" : "why" }, why));
  }
  if (game === state.game) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => open(game, null, true));
  return make("li", {}, button);
}

function more() {
  const next = state.shown.slice(state.listed, state.listed + PAGE);
  get("list").append(...next.map(row));
  state.listed += next.length;
  get("more").classList.toggle("hidden", state.listed >= state.shown.length);
}

// --- the viewer ---------------------------------------------------------------------------------

function open(game, ply = null, follow = false) {
  stop();
  state.game = game;
  const names = [DATA.players[game.black], DATA.players[game.white]];
  get("versus").replaceChildren(`Game ${game.number}: `, disc("black"), names[0], " – ",
    disc("white"), names[1]);
  const how = game.detail ? `${game.reason}: ${game.detail}` : game.reason;
  get("outcome").textContent = `${RESULTS[game.result]}, ${how}`;
  get("ply").max = game.moves.length;
  state.now = [
    drawScores(get("scores"), game.scores, game.opening, game.moves.length),
    drawTimes(get("times"), game.times, game.opening, game.moves.length),
  ];
  get("scores").classList.toggle("hidden", game.scores.every((score) => score === null));
  get("times").classList.toggle("hidden", game.times.length === 0);
  const known = game.scores.some((score) => score !== null);
  get("unknown").classList.toggle("hidden", known);
  get("moves").replaceChildren(...game.moves.map((point, index) => {
    const button = make("button", { type: "button", class: index < game.opening ? "opening" : "" },
      make("i", {}, String(index + 1)), pointName(point));
    button.addEventListener("click", () => { stop(); go(index + 1); });
    return button;
  }));
  const remarks = [
    ...game.events.map(([ply, player, text]) =>
      `After ${ply} stones, ${DATA.players[player]}: ${text}`),
    ...game.offences.map(([player, said, managers]) =>
      `${DATA.players[player]} wrote “${said}”: ${managers}`),
  ];
  get("notes").replaceChildren(...remarks.map((text) => make("li", {}, text)));
  get("remarks").classList.toggle("hidden", remarks.length === 0);
  choose(get("list").querySelector(`[data-number="${game.number}"]`), get("list"));
  const place = state.shown.indexOf(game);
  get("previous").disabled = place <= 0;
  get("next").disabled = place < 0 || place >= state.shown.length - 1;
  get("viewer").classList.remove("hidden");
  go(ply === null ? game.moves.length : ply);
  if (follow && matchMedia("(max-width: 56rem)").matches) get("viewer").scrollIntoView();
}

function go(ply) {
  const game = state.game;
  if (!game) return;
  state.ply = Math.max(0, Math.min(game.moves.length, ply));
  const ended = state.ply === game.moves.length;
  drawStones(layer, inTurn(game.moves.slice(0, state.ply)), {
    numbers: get("numbers").checked,
    line: ended ? game.line : [],
    foul: ended && game.reason === "forbidden move",
  });
  get("ply").value = state.ply;
  const words = describe(game, state.ply);
  get("ply").setAttribute("aria-valuetext", words);
  get("status").textContent = words;
  get("board").setAttribute("aria-label", `The board: ${words}`);
  clocks(game);
  for (const line of state.now) {
    const x = state.ply ? chartX(state.ply, game.moves.length) : -9;
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
  choose(get("moves").children[state.ply - 1], get("moves"));
  for (const [id, off] of [["first", state.ply === 0], ["back", state.ply === 0],
    ["forward", ended], ["last", ended]]) get(id).disabled = off;
  remember();
}

function remember() {  // in the address, so that it can be sent; not at every step of a slider
  clearTimeout(state.address);
  if (!state.ready) return;
  const address = `#game=${state.game.number}&move=${state.ply}`;
  state.address = setTimeout(() => history.replaceState(null, "", address), 300);
}

function verdict(score) {  // WIN minus the plies to it is a proven win
  const plies = DATA.win - Math.abs(score);
  if (plies < 1000) return `${score > 0 ? "wins" : "loses"} in ${plies}`;
  return `score ${score > 0 ? "+" : ""}${score}`;
}

function describe(game, ply) {
  if (ply === 0) return "Empty board";
  const colour = ply % 2 ? "Black" : "White", own = ply - 1 - game.opening;
  const words = [`${ply}. ${colour} ${pointName(game.moves[ply - 1])}`];
  if (own < 0) words.push("opening");
  else {
    if (own < game.times.length) words.push(duration(game.times[own]));
    const score = game.scores[own] ?? null, nodes = game.nodes[own] ?? null;
    if (score !== null) words.push(verdict(score));
    if (nodes !== null) words.push(`${count(nodes)} nodes`);
  }
  return words.join(" · ");
}

function clocks(game) {
  const used = [0, 0];
  game.times.forEach((time, index) => {
    const ply = game.opening + index + 1;
    if (ply <= state.ply) used[(ply - 1) % 2] += time;
  });
  const rows = [["black", game.black], ["white", game.white]].map(([colour, player], side) =>
    make("div", {}, make("span", {}, disc(colour), DATA.players[player]),
      make("span", { class: "number" }, duration(used[side]))));
  get("clocks").replaceChildren(...rows);
}

function toggle() {
  if (playing) return stop();
  if (state.ply === state.game.moves.length) go(0);
  play(() => {
    go(state.ply + 1);
    return state.ply < state.game.moves.length;
  });
}

function step(by) {
  const game = state.shown[state.shown.indexOf(state.game) + by];
  if (game) open(game);
}

function jump(event) {  // a click into a plot: to that move
  const box = event.currentTarget.getBoundingClientRect();
  const x = CHART.width * (event.clientX - box.left) / box.width;
  const plies = state.game.moves.length;
  stop();
  go(1 + Math.round((x - CHART.left) / (CHART.right - CHART.left) * (plies - 1)));
}

function key(event) {
  if (!state.game || !keysAreFree(event)) return;
  const inside = get("viewer").contains(document.activeElement);
  const moves = { ArrowLeft: state.ply - 1, ArrowRight: state.ply + 1 };
  if (inside) Object.assign(moves, { Home: 0, End: state.game.moves.length });
  if (event.key in moves) {
    stop();
    go(moves[event.key]);
    event.preventDefault();
  }
}

// --- the page -----------------------------------------------------------------------------------

function fromAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const game = GAMES.find((each) => each.number === Number(wanted.get("game")));
  if (game) open(game, wanted.has("move") ? Number(wanted.get("move")) : null);
  return Boolean(game);
}

function start() {
  for (const name of ["player", "other", "colour", "result", "reason", "text"]) {
    get(`by-${name}`).addEventListener("input", filterNow);
  }
  for (const button of document.querySelectorAll("[data-a]")) {
    button.addEventListener("click", () => {
      for (const name of ["colour", "result", "reason", "text"]) get(`by-${name}`).value = "";
      get("by-player").value = button.dataset.a;
      get("by-other").value = button.dataset.b;
      filterNow();
      if (state.shown.length) open(state.shown[0]);
      get("games").scrollIntoView();
    });
  }
  const clicks = { more, play: toggle, theme, previous: () => step(-1), next: () => step(1),
    first: () => go(0), back: () => go(state.ply - 1), forward: () => go(state.ply + 1),
    last: () => go(state.game.moves.length) };
  for (const [id, does] of Object.entries(clicks)) {
    get(id).addEventListener("click", () => {
      if (["first", "back", "forward", "last"].includes(id)) stop();
      does();
    });
  }
  get("ply").addEventListener("input", () => { stop(); go(Number(get("ply").value)); });
  get("numbers").addEventListener("change", () => go(state.ply));
  get("speed").addEventListener("change", () => { if (playing) { stop(); toggle(); } });
  for (const id of ["scores", "times"]) get(id).addEventListener("click", jump);
  document.addEventListener("keydown", key);
  window.addEventListener("hashchange", fromAddress);
  filterNow();
  if (!fromAddress() && GAMES.length) open(GAMES[0]);
  state.ready = true;
}

start();
