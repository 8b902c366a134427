// Match logs in the viewer: its page is kept in this one, and opened in a frame with the logs in
// it.

// Shows logs, as dropped.js makes them, in a frame within `place`. held: what the two computers had
// in a frame, as fillDifferences of the viewer takes it, or null.
export function showLogs(place, logs, held = null) {
  const {
    page,
    log: logBlock,
    version,
  } = JSON.parse(document.getElementById("viewer").textContent);
  const title = logs.map(({ name }) => name).join(" and ");
  const entries = logs.map(({ data: _, ...entry }) => entry);
  const manifest = JSON.stringify({ title, version, logs: entries, held }).replaceAll(
    "<",
    "\\u003c",
  );
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
  const address = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  const id = held?.id === undefined ? "" : `&id=${held.id}`;
  frame.src = held ? `${address}#frame=${held.frame}${id}` : address;
  frame.addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
  place.querySelector("iframe")?.remove();
  place.append(frame);
  place.hidden = false;
}
