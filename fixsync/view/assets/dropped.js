// Match logs that are dropped onto an empty page, or chosen in it.
import { worker } from "./channel.js";

// Shows the place to drop logs on, and calls open(logs) with one or two of them.
export function awaitLogs(place, input, failure, open) {
  const read = async (files) => {
    failure.hidden = true;
    const logs = [];
    try {
      if (files.length > 2) throw new Error(`one log or two, not ${files.length}`);
      for (const file of files) logs.push(await worker.read(file));
    } catch (error) {
      failure.textContent = error.message;
      failure.hidden = false;
      return;
    }
    if (logs.length === 0) return;
    place.hidden = true;
    document.removeEventListener("dragover", onDragOver);
    document.removeEventListener("drop", onDrop);
    open(logs);
  };
  const onDragOver = (event) => {
    event.preventDefault();
    place.classList.add("over");
  };
  const onDrop = (event) => {
    event.preventDefault();
    place.classList.remove("over");
    read([...event.dataTransfer.files]);
  };
  place.hidden = false;
  document.addEventListener("dragover", onDragOver);
  document.addEventListener("dragleave", () => place.classList.remove("over"));
  document.addEventListener("drop", onDrop);
  input.onchange = () => read([...input.files]);
}
