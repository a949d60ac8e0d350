// The published schema, object by object.

import { T } from './texts.js';
import { h, scrollable } from './dom.js';
import { ROOT, setAddress } from './address.js';

function facts(field, object) {
  return [object.keys.includes(field.name) ? T.key : '', field.computed && !object.keys.includes(field.name) ? T.computed : '',
    !field.nullable && !field.collection && !object.keys.includes(field.name) ? T.required : '',
    field.maxLength && field.kind === 'text' ? T.textLength(field.maxLength) : '',
    field.attribute ? T.storedAs(field.attribute) : '', field.lookup ? T.refersTo(field.lookup) : '',
    field.allowed.length ? field.allowed.join(', ') : '', field.description].filter(Boolean).join(' · ');
}

export function schemaView({ model }) {
  return h('div', { class: 'view schema-view' },
    h('div', { class: 'heading' }, h('div', {}, h('h1', { tabindex: '-1' }, T.schema), h('p', { class: 'sub' }, T.schemaIntro)),
      h('div', { class: 'buttons' }, h('a', { class: 'button', href: `${ROOT}$metadata?$format=xml` }, 'XML'), h('a', { class: 'button', href: `${ROOT}$metadata?$format=json` }, 'JSON'))),
    [...model.objects.values()].map((object) => h('section', { class: 'section' },
      h('h2', {}, h('a', { href: setAddress(object) }, object.name)),
      scrollable(T.tableLabel(object.name), h('table', { class: 'records' }, h('caption', { class: 'visually-hidden' }, object.name),
        h('thead', {}, h('tr', {}, [T.field, 'OData', ''].map((text) => h('th', { scope: 'col' }, h('span', { class: 'head' }, text || T.fields))))),
        h('tbody', {}, object.fields.map((field) => h('tr', {}, h('th', { scope: 'row' }, field.name),
          h('td', {}, h('code', {}, field.collection ? `Collection(${field.type})` : field.type), ' ', h('span', { class: 'hint' }, field.typeText)),
          h('td', { class: 'wrap' }, facts(field, object)))),
        object.navigations.map((navigation) => h('tr', {}, h('th', { scope: 'row' }, navigation.name),
          h('td', {}, h('a', { href: ROOT + navigation.target }, navigation.collection ? `${T.children}: ${navigation.target}` : `${T.related}: ${navigation.target}`)),
          h('td', { class: 'wrap' }, Object.entries(navigation.constraints).map(([from, to]) => `${from} = ${navigation.target}.${to}`).join(' · '))))))))));
}
