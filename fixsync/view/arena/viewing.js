// Match logs in the viewer: its page is kept in this one, and opened in a frame with the logs in
// it.

// Shows logs, as dropped.js makes them, in a frame within `place`.
export function showLogs(place, logs) {
  const {
    page,
    log: logBlock,
    version,
  } = JSON.parse(document.getElementById("viewer").textContent);
  const title = logs.map(({ name }) => name).join(" and ");
  const entries = logs.map(({ data: _, ...entry }) => entry);
  const manifest = JSON.stringify({ title, version, logs: entries }).replaceAll("<", "\\u003c");
  const blocks = [
    ["manifest", manifest],
    ["kernel", document.getElementById("kernel").textContent],
    [
      "logs",
      logs.map(({ data }, i) => logBlock.replace("@i@", i).replace("@data@", () => data)).join(""),
    ],
  ];
  let text = page;
  for (const [name, content] of blocks) text = text.replace(`@${name}@`, () => content);
  const frame = document.createElement("iframe");
  frame.title = `Viewer: ${title}`;
  frame.src = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  frame.addEventListener("load", () => URL.revokeObjectURL(frame.src), { once: true });
  place.querySelector("iframe")?.remove();
  place.append(frame);
  place.hidden = false;
}
