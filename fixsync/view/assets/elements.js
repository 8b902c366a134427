// Elements of the page.

// An element with attributes, listeners (`onclick`) and children.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made[name] = value;
    else if (value !== null && value !== false)
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

export const cell = (text, attributes = {}) => element("td", attributes, text);

// A table. heads: the text of each column's head, or null for a table without; those of `numbers`
// are on the right.
export function table({ caption = null, heads = null, numbers = [], ...attributes }, rows) {
  const head = heads?.map((text, i) =>
    element("th", { scope: "col", class: numbers.includes(i) && "number" }, text),
  );
  return element(
    "table",
    attributes,
    caption ? element("caption", {}, ...[caption].flat()) : null,
    head ? element("thead", {}, element("tr", {}, ...head)) : null,
    element("tbody", {}, ...rows),
  );
}
