// Numbers and verdicts as text.

export const ordinal = new Intl.NumberFormat("en").format;
export const plural = (count, one, many = `${one}s`) =>
  `${ordinal(count)} ${count === 1 ? one : many}`;

// Raw Q16.16 as units, to four decimals; the exact value ends after at most 16.
export function units(raw) {
  const text = (raw / 65536).toFixed(4);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export const exactUnits = (raw) =>
  `${BigInt(raw) < 0n ? "−" : ""}${exactMagnitude(BigInt(Math.abs(raw)))}`;

function exactMagnitude(raw) {
  const decimals = ((raw % 65536n) * 10n ** 16n) / 65536n;
  const fraction = decimals.toString().padStart(16, "0").replace(/0+$/, "");
  return `${raw / 65536n}${fraction ? `.${fraction}` : ""}`;
}

export const degrees = (steps) => `${Number(((steps * 360) / 65536).toFixed(3))}°`;

export function clockTime(seconds) {
  const whole = Math.floor(seconds);
  const pad = (value) => String(value).padStart(2, "0");
  return `${Math.floor(whole / 60)}:${pad(whole % 60)}.${pad(Math.floor((seconds - whole) * 100))}`;
}

const list = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const FIELD_NAMES = {
  hash: "the hash",
  events: "the events",
  game: "the game's own events",
  queries: "the queries' answers",
  state: "the simulation's whole state",
};

// How much of a log was compared.
function comparedText({ hashes, events, queries, states }) {
  const answers = [
    hashes && plural(hashes, "hash", "hashes"),
    events && plural(events, "list of events", "lists of events"),
    queries && plural(queries, "query's answer", "queries' answers"),
    states && plural(states, "whole state"),
  ].filter(Boolean);
  return answers.length > 0 ? `Compared with the log: ${list(answers)}.` : "";
}

// Remarks that every result has.
function remarks(verdict, log) {
  const { compared, nativeFirst } = verdict;
  const lines = [];
  if (log.cut)
    lines.push(
      `The log was cut short: ${log.cut}. ` +
        `Its ${plural(log.frames, "whole frame")} can be seen here.`,
    );
  if (log.sim) lines.push(`The simulation ${log.sim} was run when this page was written.`);
  if (verdict.digest === "differs")
    lines.push("The text does not match the SHA-256 on the log's last line.");
  if (verdict.digest === "unknown")
    lines.push("This browser cannot compare the text's SHA-256 here.");
  const text = comparedText(compared);
  if (text) lines.push(text);
  if (compared.native > 0 && !nativeFirst) {
    const hashes = plural(compared.native, "hash", "hashes");
    lines.push(`The native kernel gave the same ${hashes} when this page was written.`);
  }
  return lines;
}

// A log's fault: title, first lines, and the frame to go to; null for a good log.
function faultOf(verdict) {
  const { first, refused, nativeFirst } = verdict;
  if (nativeFirst) {
    const { frame, native, computed } = nativeFirst;
    const title = `This browser computes other bits from frame ${ordinal(frame)} on`;
    const badge = `Other bits from frame ${ordinal(frame)} on`;
    return { title, badge, said: [`Native: ${native}. Here: ${computed}.`], jump: frame };
  }
  if (first) {
    const fields = list(first.fields.map((field) => FIELD_NAMES[field]));
    const inAll = verdict.isDone ? `of ${plural(verdict.frames, "frame")}` : "so far";
    const [other] = verdict.others;
    const what = other ? other.words[0].toUpperCase() + other.words.slice(1) : "Diverged";
    const title = `${what}: first difference at frame ${ordinal(first.frame)}`;
    const said = [
      `The kernel does not compute what is recorded there: ${fields}. Frames that differ: ` +
        `${ordinal(verdict.differing)} ${inAll}.`,
    ];
    for (const { words, recorded, here } of verdict.others)
      said.push(`The log was ${words}: ${recorded}, here ${here ?? "none"}.`);
    if (verdict.compared.native > 0)
      said.push(
        "The native kernel agrees with this browser, " +
          "so the log's recorder computed something else.",
      );
    return { title, badge: `${what} at frame ${ordinal(first.frame)}`, said, jump: first.frame };
  }
  if (refused) {
    const title = `Not a valid log: frame ${ordinal(refused.frame)} cannot be played`;
    const badge = `Not valid at frame ${ordinal(refused.frame)}`;
    return { title, badge, said: [refused.message], jump: Math.max(0, refused.frame - 1) };
  }
  if (verdict.digest === "differs")
    return { title: "Changed after it was written", badge: null, said: [], jump: null };
  return null;
}

// The result of one log's check: { state: "running" | "good" | "none" | "bad", title, lines, jump
// (a frame or null) }.
export function verdictText(verdict, log, checked) {
  const lines = remarks(verdict, log);
  const fault = faultOf(verdict);
  if (fault) {
    const { title, badge, said, jump } = fault;
    return { state: "bad", title, badge, lines: [...said, ...lines], jump };
  }
  if (!verdict.isDone) {
    const title = `Checking: ${ordinal(checked)} of ${plural(log.frames, "frame")}`;
    return { state: "running", title, lines: [], jump: null };
  }
  const computed = `${plural(verdict.frames, "frame")}, hash ${verdict.hash}`;
  if (comparedText(verdict.compared))
    return { state: "good", title: `Identical: ${computed}`, lines, jump: null };
  lines.unshift("The log records no events, answers or hashes to compare with.");
  if (verdict.compared.native > 0)
    return { state: "good", title: `Same as native: ${computed}`, lines, jump: null };
  return { state: "none", title: `Nothing to compare: ${computed}`, lines, jump: null };
}

const DIFFERENCE_NAMES = {
  commands: "the commands",
  state: "the computed state",
  whole: "the state beside the world",
  events: "the recorded events",
  game: "the recorded events of the game",
  queries: "the recorded queries' answers",
  hash: "the recorded hash",
  recorded: "the recorded whole state",
  length: "one log goes on and the other does not",
};

// The same for two logs against each other.
export function comparisonText(result, upTo) {
  const lines = [];
  const [framesA, framesB] = result.frames;
  if (result.header?.length > 0) lines.push(`Their first lines differ in ${list(result.header)}.`);
  if (framesA !== framesB) lines.push(`A has ${plural(framesA, "frame")}, B ${ordinal(framesB)}.`);
  if (!result.first) {
    if (!result.isDone)
      return { state: "running", title: `Comparing: frame ${ordinal(upTo)}`, lines, jump: null };
    const state = result.header?.length > 0 ? "bad" : "good";
    return {
      state,
      title: `A and B are the same in all ${plural(framesA, "frame")}`,
      lines,
      jump: null,
    };
  }
  const { frame, fields } = result.first;
  lines.unshift(`What differs there: ${list(fields.map((field) => DIFFERENCE_NAMES[field]))}.`);
  if (result.others.length > 0) lines.push(`They were recorded ${list(result.others)}.`);
  if (result.differing > 0)
    lines.push(
      `Frames that differ${result.isDone ? "" : " so far"}: ${ordinal(result.differing)}.`,
    );
  return {
    state: "bad",
    title: `A and B first differ at frame ${ordinal(frame)}`,
    lines,
    jump: Math.min(frame, Math.max(framesA, framesB) - 1),
  };
}
