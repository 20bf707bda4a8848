// Small helpers; text from the server only ever becomes text.

export const $ = (selector) => document.querySelector(selector);

/** An element with a class, texts and children. */
export function make(tag, kind = "", ...children) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const whole = (number) => Math.round(number).toLocaleString("en");
export const short = (number) =>
  Math.abs(number) >= 100 ? whole(number) : Number(number.toPrecision(3)).toString();
export const words = (name) => name.replaceAll("_", " ").replace(/([a-z])([A-Z0-9])/g, "$1 $2");
export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export async function getJson(address) {
  const response = await fetch(address);
  const values = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(values.error || `the server says ${response.status}`);
  return values;
}
