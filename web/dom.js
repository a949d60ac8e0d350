// Small helpers over the DOM. Text always goes in as text: there is no way here to insert markup.

// h('a', {href, class, onclick, 'aria-label'}, child, [children], null) makes an element.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.replace(/^on/, ''), value);
    else if (key === 'value' || key === 'checked' || key === 'disabled' || key === 'selected') element[key] = value;
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => child instanceof Node ? child : String(child)));
  return element;
}

let ids = 0;
export const freshId = (prefix) => `${prefix}-${++ids}`;

// Says something to assistive technology without moving the focus.
export function announce(text) {
  document.getElementById('status').textContent = text;
}

export const hidden = (text) => h('span', { class: 'visually-hidden' }, text);

// A disclosure that closes by Escape, a click outside, or another one opening.
export function menu(label, attributes, ...content) {
  const summary = h('summary', { class: 'button', ...attributes }, label);
  const details = h('details', { class: 'menu' }, summary, h('div', { class: 'menu-body' }, ...content));
  details.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !details.open) return;
    event.stopPropagation();
    details.open = false;
    summary.focus();
  });
  return details;
}

document.addEventListener('click', (event) => {
  for (const open of document.querySelectorAll('details.menu[open]')) {
    if (!open.contains(event.target)) open.open = false;
  }
});

// Opens a modal dialog and resolves with the value of the button that closed it, or '' for Escape.
export function openDialog(title, body, buttons) {
  const id = freshId('dialog');
  const dialog = h('dialog', { 'aria-labelledby': id, class: 'dialog' },
    h('form', { method: 'dialog' },
      h('h2', { id }, title), body,
      h('div', { class: 'buttons' }, buttons.map(({ label, value, kind, autofocus }) =>
        h('button', { value, class: `button ${kind ?? ''}`, autofocus }, label)))));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener('close', () => {
    dialog.remove();
    resolve(dialog.returnValue);
  }));
}

// A table with a caption for assistive technology, in a region that scrolls by keyboard.
export function scrollable(label, table) {
  return h('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0' }, table);
}
