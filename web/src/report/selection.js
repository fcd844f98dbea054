// The one class or category that is highlighted everywhere, or none.
const listeners = [];
let selected = null;

export const selection = () => selected;
export const onSelection = (listener) => listeners.push(listener);

export function select(id) {
  if (id === selected) return;
  selected = id;
  listeners.forEach((listener) => listener(selected));
}

export const toggle = (id) => select(id === selected ? null : id);
