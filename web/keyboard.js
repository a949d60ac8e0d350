// Single-key shortcuts, which can be switched off, and the help that lists them.

import { T } from './texts.js';
import { h, openDialog } from './dom.js';

const KEY = 'tablecast.shortcuts';
const enabled = () => localStorage.getItem(KEY) !== 'off';

export function openHelp() {
  const toggle = h('input', { type: 'checkbox', checked: enabled(), onchange: () => localStorage.setItem(KEY, toggle.checked ? 'on' : 'off') });
  return openDialog(T.helpHeading, h('div', {}, h('table', { class: 'plain-table shortcuts' }, h('tbody', {}, T.shortcuts.map(([keys, what]) =>
    h('tr', {}, h('th', { scope: 'row' }, keys.split(', ').map((key) => h('kbd', {}, key))), h('td', {}, what))))),
  h('label', { class: 'check' }, toggle, T.shortcutsOn)), [{ label: T.close, value: '', kind: 'primary', autofocus: true }]);
}

function moveRow(step) {
  const links = [...document.querySelectorAll('main table.records .row-link')];
  if (links.length === 0) return;
  const at = links.indexOf(document.activeElement);
  const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.max(0, Math.min(links.length - 1, at + step))];
  next.focus();
}

export function startKeyboard(navigate) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest('input, textarea, select, [contenteditable]') || document.querySelector('dialog[open]')) return;
    if (event.key === '?') {
      event.preventDefault();
      openHelp();
      return;
    }
    if (!enabled()) return;
    if (event.key === 'j' || event.key === 'k') {
      event.preventDefault();
      moveRow(event.key === 'j' ? 1 : -1);
      return;
    }
    if (event.key === 'h') {
      event.preventDefault();
      navigate('/');
      return;
    }
    const target = document.querySelector(`main [data-shortcut="${CSS.escape(event.key)}"]`);
    if (!target) return;
    event.preventDefault();
    if (target.matches('input')) target.focus();
    else target.click();
  });
}
