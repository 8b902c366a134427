// The panels of the frame shown: its events and answers, and what differs in it.
import { FXS_ENTER, FXS_EXIT, FXS_STAY } from "../../../bindings/web/raw.js";
import { cell, element, table } from "./elements.js";
import { ordinal, plural } from "./format.js";
import { differingFields } from "./game.js";
import { CONTACT_NAMES, EVENT_NAMES, ROWS_MAX, SIGNS, valueDifferences } from "./inspector.js";
import { colliderButton } from "./links.js";
import { LEVEL } from "./solids.js";
import { gameName, gameSides, games, match, nameOf, ownerName, player } from "./state.js";

const ROWS_PLAYING_MAX = 25; // while nobody can read them

const shownOf = (count, most = ROWS_MAX) =>
  count > most ? `${ordinal(count)} (${most} shown)` : ordinal(count);

function eventTable(caption, rows, marked, most = ROWS_MAX) {
  const body = rows
    .slice(0, most)
    .map(([a, b, kind, contact]) =>
      element(
        "tr",
        { class: marked ? "differs" : null },
        cell(SIGNS[kind]?.[contact] ?? "", { "aria-hidden": "true" }),
        cell(colliderButton(a)),
        cell(colliderButton(b)),
        cell(EVENT_NAMES[kind] ?? String(kind)),
        cell(CONTACT_NAMES[contact] ?? String(contact)),
      ),
    );
  return table({ caption }, body);
}

// The game's own events, of colliders and of whatever else a game counts.
function gameTable({ game, colliders }) {
  const valueText = (number, side) => {
    if (side === "owner") return ownerName(number);
    const isThere = side === "collider" && (colliders.indexOf(number) >= 0 || number >= LEVEL);
    return isThere ? colliderButton(number) : String(number);
  };
  const rows = game
    .slice(0, ROWS_MAX)
    .map(([a, b, kind, value]) =>
      element(
        "tr",
        {},
        cell("◇", { "aria-hidden": "true" }),
        ...[a, b].map((number, i) => cell(valueText(number, gameSides(kind)[i]))),
        cell(gameName(kind)),
        cell(String(value), { class: "number" }),
      ),
    );
  return table({ caption: `The game's own events: ${shownOf(game.length)}` }, rows);
}

const listOf = (caption, items) =>
  element(
    "div",
    {},
    element("p", { class: "subtitle differs" }, caption),
    element("ul", {}, ...items.map((item) => element("li", { class: "differs" }, item))),
  );

const json = (value) => JSON.stringify(value);

function eventDifferences(found, names) {
  const parts = [];
  for (const [field, what] of [
    ["events", "events"],
    ["computed", "computed events"],
  ]) {
    if (!found[field]) continue;
    const { counts } = found[field];
    for (const [i, side] of ["a", "b"].entries()) {
      const caption = `≠ ${what} only ${names[side]}: ${shownOf(counts[i])}`;
      if (counts[i] > 0) parts.push(eventTable(caption, found[field][side], true));
    }
    if (field === "events" && counts[0] + counts[1] === 0)
      parts.push(listOf(`≠ ${what}`, ["the same in another order"]));
  }
  return parts;
}

// What a frame's line and the computation, or two logs, do not agree on. names: what the two are
// called.
function differenceParts(found, names) {
  const parts = eventDifferences(found, names);
  for (const [field, what] of [
    ["commands", "command"],
    ["queries", "query's answer"],
    ["game", "game's own event"],
  ]) {
    if (!found[field]) continue;
    const items = found[field].map(
      ({ index, a, b }) => `${what} ${index}: ${names.a} ${json(a)}, ${names.b} ${json(b)}`,
    );
    parts.push(listOf(`≠ ${what}s`, items));
  }
  for (const [field, what] of [
    ["hash", "hash"],
    ["state", "whole state"],
  ]) {
    if (!found[field]) continue;
    const { a, b } = found[field];
    parts.push(listOf(`≠ ${what}`, [`${names.a} ${a}, ${names.b} ${b}`]));
  }
  if (found.whole && !match.manifest.held) {
    const fields = differingFields(games, player.frame);
    const items = fields.map(({ name, a, b }) => `${name}: ${names.a} ${a}, ${names.b} ${b}`);
    if (items.length > 0) parts.push(listOf("≠ state beside the world", items.slice(0, ROWS_MAX)));
  }
  return parts;
}

// Of two planes, two colliders are a hitbox.
const countText = ({ planes, colliders }) =>
  planes ? plural(colliders.count / 2, "hitbox", "hitboxes") : plural(colliders.count, "collider");

function frameParts(side, name) {
  const most = player.isPlaying ? ROWS_PLAYING_MAX : ROWS_MAX;
  const rows = Array.from({ length: side.events.length / 4 }, (_, i) => [
    ...side.events.subarray(4 * i, 4 * i + 4),
  ]);
  const order = { [FXS_ENTER]: 0, [FXS_EXIT]: 1, [FXS_STAY]: 2 };
  rows.sort((x, y) => order[x[2]] - order[y[2]]);
  const parts = [
    element("p", { class: "note" }, `${name}${countText(side)}, hash ${side.hash}`),
    rows.length > 0
      ? eventTable(
          `${rows.length === 1 ? "Event" : "Events"}: ${shownOf(rows.length, most)}`,
          rows,
          false,
          most,
        )
      : element("p", { class: "note" }, "No hits."),
  ];
  if (side.game.length > 0) parts.push(gameTable(side));
  const areas = side.wakes.at(-1)?.frame === side.frame ? side.wakes.at(-1).areas : [];
  const answers = areas.map(({ command, answer }) => {
    const found = command[0] === "cast" ? answer : answer.map((id) => [id]);
    const said = found.slice(0, ROWS_MAX).flatMap(([id, fraction]) => {
      const part = fraction === undefined ? " " : ` at ${((fraction / 65536) * 100).toFixed(1)}% `;
      return [colliderButton(id), part];
    });
    return element(
      "li",
      {},
      `${command[0]} ${command[1][0]}: `,
      ...(said.length > 0 ? said : ["nothing"]),
    );
  });
  if (answers.length > 0)
    parts.push(
      element("p", { class: "subtitle" }, "Queries and casts"),
      element("ul", { class: "note" }, ...answers),
    );
  return parts;
}

export function fillFrame(target, sides) {
  const present = sides.filter(Boolean);
  const parts = [];
  for (const [i, side] of present.entries()) {
    parts.push(...frameParts(side, present.length > 1 ? `${"AB"[i]}: ` : ""));
  }
  target.replaceChildren(...parts);
}

// The states of two computers in a frame, as the arena knows them, or of two versions of a game:
// logs hold only their hashes.
function heldParts() {
  const { held } = match.manifest;
  if (held?.frame !== player.frame) return [];
  const rows = held.rows.map(({ group, field, a, b }) => {
    const id = /^collider (\d+)$/.exec(group)?.[1];
    const name = id === undefined ? group : nameOf(Number(id));
    return element(
      "tr",
      { class: "differs" },
      element("th", { scope: "row" }, `≠ ${name}, ${field}`),
      ...[a, b].map((value) => cell(String(value), { class: "number" })),
    );
  });
  const caption = held.caption ?? "≠ what each computer had, raw";
  return [table({ caption, heads: ["", "A", "B"], numbers: [1, 2], class: "pair" }, rows)];
}

// What differs in the frame: between two logs (`details`), and between what each records and what
// is computed. False if nothing does.
export function fillDifferences(target, sides, details) {
  const present = sides.filter(Boolean);
  const parts = heldParts();
  if (details) parts.push(...differenceParts(details, { a: "in A", b: "in B" }));
  if (details && present.length === 2) {
    const ids = [...present[0].differing].sort((a, b) => a - b);
    parts.push(...ids.slice(0, ROWS_MAX).map((id) => valueDifferences(present, id)));
  }
  for (const [i, { differences }] of present.entries()) {
    const name = present.length > 1 ? ` (${"AB"[i]})` : "";
    const names = { a: `recorded${name}`, b: `computed${name}` };
    if (differences) parts.push(...differenceParts(differences, names));
  }
  target.replaceChildren(...parts.filter(Boolean));
  return target.childElementCount > 0;
}
