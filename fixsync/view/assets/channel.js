// The worker that knows the match.
import { byId } from "./state.js";

export const worker = {
  // handlers: by the type of the messages that come; failed(text) for all that goes wrong.
  start(handlers) {
    const script = new Blob([byId("worker").textContent], { type: "text/javascript" });
    this.made = new Worker(URL.createObjectURL(script));
    this.made.onerror = (event) =>
      handlers.failed({ message: event.message ?? "the worker did not start" });
    this.made.onmessage = ({ data }) => handlers[data.type](data);
  },
  post(message) {
    this.made.postMessage(message);
  },
};
