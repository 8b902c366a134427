// The worker that knows the match.
import { byId } from "./state.js";

let made = null;
const handlers = {};
const readings = []; // of files, in order: { resolve, reject }

function begin() {
  const script = new Blob([byId("worker").textContent], { type: "text/javascript" });
  made = new Worker(URL.createObjectURL(script));
  made.onerror = ({ message }) =>
    handlers.failed({ message: message ?? "the worker did not start" });
  made.onmessage = ({ data }) => handlers[data.type](data);
  handlers.read = ({ log, message }) => {
    const { resolve, reject } = readings.shift();
    if (log) resolve(log);
    else reject(new Error(message));
  };
}

export const worker = {
  // Calls `named[type](message)` for each message that comes, failed({ message }) for all that goes
  // wrong.
  listen(named) {
    Object.assign(handlers, named);
  },
  post(message) {
    if (!made) begin();
    made.postMessage(message);
  },
  // A file of a match log as a page holds it; an Error with its name if it is not one.
  read(file) {
    worker.post({ type: "read", file });
    return new Promise((resolve, reject) => readings.push({ resolve, reject }));
  },
};
