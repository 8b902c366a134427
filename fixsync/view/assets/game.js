// What a simulation has beside its world: the players' inputs, its own state by name, and what each
// owner is in the middle of.

import { bytesOfBase64, inflated } from "../../../bindings/web/bytes.js";
import { cell, element, table } from "./elements.js";
import { grouped } from "./grouped.js";

// data: of the page's block. { first, inputs: series by player, state: [[group, field, series]],
// phases: { owner: [[first frame, last frame, name, phase]] } }; a series is [frames, values] of
// each change of a value.
export async function readGame(data) {
  return JSON.parse(await (await inflated(bytesOfBase64(data))).text());
}

// The value of a series in a frame, and whether it changed there; null before the first one.
function valueAt([frames, values], frame) {
  let [low, high] = [0, frames.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames[middle] <= frame) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : { value: values[low - 1], isNew: frames[low - 1] === frame && low > 1 };
}

const isNumber = (value) => typeof value === "number" || typeof value === "boolean";
const kindOf = (group) => /^(.*?)(?: \d+)?$/.exec(group)[1];

function plotName(key) {
  const [group, field] = JSON.parse(key);
  return group === null ? `player ${field}` : `${group} ${field}`;
}

// A row's name, as a switch of its plot if its values are numbers. key: of plotsOf.
function rowName(text, key, found, plotted) {
  if (!found.some((one) => isNumber(one?.value))) return text;
  const title = `Plot ${plotName(key)} over time`;
  return element(
    "button",
    { type: "button", "data-plot": key, "aria-pressed": String(plotted.has(key)), title },
    text,
  );
}

// The values over time of the plotted rows, as Meter.setSeries takes them.
export function plotsOf(games, keys) {
  const known = games.filter(Boolean);
  const isPair = games.length > 1;
  return [...keys].map((key) => {
    const [group, field] = JSON.parse(key);
    const seriesOf = ({ inputs, state }) =>
      group === null
        ? [inputs[field]]
        : state
            .filter(([of, name]) => name === field && (isPair ? of : kindOf(of)) === group)
            .map(([, , one]) => one);
    const lines = known.flatMap(seriesOf).map((one) => (frame) => {
      const value = one ? valueAt(one, frame)?.value : null;
      return isNumber(value) ? Number(value) : null;
    });
    return { name: plotName(key), lines, isPair, text: String };
  });
}

// isPair: of two logs, which should have the same value.
function gameRow(name, key, found, plotted, isPair = true) {
  const texts = found.map((one) =>
    one === null || one === undefined ? "–" : inputText(one.value),
  );
  const isSame = !isPair || texts.every((text) => text === texts[0]);
  return element(
    "tr",
    { class: isSame ? null : "differs" },
    element("th", { scope: "row" }, rowName(isSame ? name : `≠ ${name}`, key, found, plotted)),
    ...texts.map((text, i) => cell(text, { class: found[i]?.isNew ? "number new" : "number" })),
  );
}

const inputText = (value) => (Array.isArray(value) ? value.join(", ") : String(value));

// Groups with the same fields, such as "fighter 0" and "fighter 1", share a table.
function groupTables({ state }, at, plotted) {
  const kinds = new Map(); // by their name and fields: the groups, each a map of its series
  const groups = grouped(state, ([group]) => group);
  for (const [group, rows] of groups) {
    const [, kind, number] = /^(.*?)(?: (\d+))?$/.exec(group);
    const fields = new Map(rows.map(([, name, series]) => [name, series]));
    const key = [kind, ...fields.keys()].join();
    kinds.set(key, {
      kind,
      members: [...(kinds.get(key)?.members ?? []), { number: number ?? "", fields }],
    });
  }
  return [...kinds.values()].map(({ kind, members }) =>
    table(
      {
        caption: kind,
        heads: ["", ...members.map(({ number }) => number)],
        numbers: members.map((_, i) => i + 1),
      },
      [...members[0].fields.keys()].map((name) => {
        const found = members.map(({ fields }) => at(fields.get(name)));
        return gameRow(name, JSON.stringify([kind, name]), found, plotted, false);
      }),
    ),
  );
}

// Of two logs, each group has a table of its own.
function pairTables(known, games, at, plotted) {
  const groups = [...new Set(known.flatMap(({ state }) => state.map(([group]) => group)))];
  return groups.map((group) => {
    const fields = new Set(
      known.flatMap(({ state }) => state.filter(([of]) => of === group).map(([, name]) => name)),
    );
    const rows = [...fields].map((field) => {
      const found = games.map((game) =>
        at(game?.state.find(([of, name]) => of === group && name === field)?.[2]),
      );
      return gameRow(field, JSON.stringify([group, field]), found, plotted);
    });
    return table({ caption: group, heads: ["", "A", "B"], numbers: [1, 2] }, rows);
  });
}

// The fields of the state whose values in a frame are not the same in two games.
export function differingFields([a, b], frame) {
  if (!a || !b) return [];
  const rows = [a, b].map(
    ({ state }) => new Map(state.map(([group, name, one]) => [`${group} ${name}`, one])),
  );
  const shownValue = (series) => (series ? inputText(valueAt(series, frame)?.value ?? "–") : "–");
  return [...new Set(rows.flatMap((fields) => [...fields.keys()]))]
    .map((name) => ({ name, a: shownValue(rows[0].get(name)), b: shownValue(rows[1].get(name)) }))
    .filter((row) => row.a !== row.b);
}

// games: of each log, or null. plotted: keys of the rows that are plotted. False if there is
// nothing to show.
export function fillGame(target, games, frame, plotted) {
  const known = games.filter(Boolean);
  if (known.length === 0) return false;
  const heads = games.length > 1 ? ["", "A", "B"] : null;
  const numbers = [1, 2];
  const players = [...new Set(known.flatMap(({ inputs }) => Object.keys(inputs)))];
  const at = (series) => (series ? valueAt(series, frame) : null);
  const inputs = players.map((player) =>
    gameRow(
      `player ${player}`,
      JSON.stringify([null, player]),
      games.map((game) => at(game?.inputs[player])),
      plotted,
    ),
  );
  const tables =
    games.length > 1 ? pairTables(known, games, at, plotted) : groupTables(known[0], at, plotted);
  target.replaceChildren(table({ caption: "Inputs", heads, numbers }, inputs), ...tables);
  return true;
}
