// What every page shares: its data, small makers of elements, playing through a game, the theme.

const DATA = JSON.parse(document.getElementById("data").textContent);
const get = (id) => document.getElementById(id);

function points(text) {  // two letters each
  const found = [];
  for (let i = 0; i < text.length; i += 2) {
    found.push([text.charCodeAt(i) - 97, text.charCodeAt(i + 1) - 97]);
  }
  return found;
}

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function disc(colour) {
  return make("i", { class: `disc ${colour}`, role: "img",
    "aria-label": colour === "black" ? "Black" : "White" });
}

function choose(button, box) {  // the one of its kind in the box; null: none
  for (const other of box.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
  if (!button) return;
  button.setAttribute("aria-current", "true");
  bring(button, box);
}

function bring(inner, outer) {  // into sight within its box; scrollIntoView would move the page
  const top = inner.getBoundingClientRect().top - outer.getBoundingClientRect().top;
  if (top >= 0 && top + inner.offsetHeight <= outer.clientHeight) return;
  outer.scrollTop += top - outer.clientHeight / 2;
}

let playing = 0;

function stop() {
  clearInterval(playing);
  playing = 0;
  get("play").setAttribute("aria-label", "Play through the game");
  get("play").classList.remove("playing");
}

function play(step) {  // step: makes a move and returns whether there are more
  get("play").setAttribute("aria-label", "Stop");
  get("play").classList.add("playing");
  playing = setInterval(() => { if (!step()) stop(); }, Number(get("speed").value));
}

function keysAreFree(event) {  // whether a key is not for the browser or a field
  const active = document.activeElement, tag = active ? active.tagName : "";
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  return tag !== "SELECT" && (tag !== "INPUT" || active.type === "checkbox");
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}
