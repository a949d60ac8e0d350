// The published schema (CSDL JSON) and the page's own list of objects, as the views use them.

import { get, helperGet } from './api.js';
import { ROOT } from './address.js';

const COMMUNICATION = { '@Communication.IsEmailAddress': 'email', '@Communication.IsPhoneNumber': 'phone', '@Core.IsURL': 'url' };

class Field {
  constructor(name, csdl, schema) {
    this.name = name;
    this.type = csdl.$Type ?? 'Edm.String';
    this.collection = csdl.$Collection === true;
    this.nullable = csdl.$Nullable === true;
    this.maxLength = csdl.$MaxLength ?? null;
    this.scale = csdl.$Scale ?? null;
    this.precision = csdl.$Precision ?? null;
    this.description = csdl['@Core.Description'] ?? '';
    this.computed = csdl['@Core.Computed'] === true;
    this.immutable = csdl['@Core.Immutable'] === true;
    this.defaulted = csdl['@Core.ComputedDefaultValue'] === true;
    this.attribute = csdl['@tablecast.attributeName'] ?? csdl['@tablecast.v1.attributeName'] ?? '';
    this.lookup = csdl['@tablecast.externalLookup'] ?? csdl['@tablecast.v1.externalLookup'] ?? '';
    this.unit = csdl['@Measures.Unit'] ?? '';
    const currency = csdl['@Measures.ISOCurrency'];
    this.currency = typeof currency === 'string' ? currency : '';
    this.currencyPath = currency?.$Path ?? '';
    this.allowed = (csdl['@Validation.AllowedValues'] ?? []).map((entry) => entry.Value ?? entry['@Core.SymbolicName'] ?? entry);
    this.minimum = csdl['@Validation.Minimum'] ?? null;
    this.maximum = csdl['@Validation.Maximum'] ?? null;
    this.form = Object.entries(COMMUNICATION).find(([term]) => csdl[term] === true)?.[1] ?? '';
    const [namespace, local] = [this.type.slice(0, this.type.lastIndexOf('.')), this.type.slice(this.type.lastIndexOf('.') + 1)];
    this.complex = namespace !== 'Edm' && schema[local]?.$Kind === 'ComplexType' ? local : null;
    this.members = this.complex ? propertiesOf(schema[local], schema) : [];
  }

  // 'text', 'number', 'boolean', 'instant', 'date', 'time', 'guid', 'binary', 'complex'
  get kind() {
    if (this.complex) return 'complex';
    switch (this.type) {
      case 'Edm.Decimal': case 'Edm.Byte': case 'Edm.SByte': case 'Edm.Int16': case 'Edm.Int32': case 'Edm.Int64':
      case 'Edm.Double': case 'Edm.Single': return 'number';
      case 'Edm.Boolean': return 'boolean';
      case 'Edm.DateTimeOffset': return 'instant';
      case 'Edm.Date': return 'date';
      case 'Edm.TimeOfDay': return 'time';
      case 'Edm.Guid': return 'guid';
      case 'Edm.Binary': return 'binary';
      default: return 'text';
    }
  }

  get typeText() {
    const bare = this.complex ?? this.type.replace('Edm.', '');
    const money = this.currency || this.currencyPath ? `Currency ${this.currency || this.currencyPath}` : '';
    const text = money || { String: this.form ? { email: 'Email', phone: 'Phone', url: 'URL' }[this.form] : 'Text', DateTimeOffset: 'Date and time', TimeOfDay: 'Time', Decimal: 'Number' }[bare] || bare;
    return this.collection ? `List of ${text}` : text;
  }

  get sortable() {
    return !this.collection && !this.complex;
  }
}

const propertiesOf = (type, schema) => Object.entries(type)
  .filter(([name, value]) => !name.startsWith('$') && !name.startsWith('@') && value.$Kind !== 'NavigationProperty')
  .map(([name, value]) => new Field(name, value, schema));

class ExternalObject {
  constructor(name, type, set, schema, about) {
    this.name = name;
    this.label = about?.label || name;
    this.pluralLabel = about?.pluralLabel || name;
    this.description = type['@Core.Description'] ?? '';
    this.about = about;
    this.keys = type.$Key ?? [];
    this.fields = propertiesOf(type, schema);
    this.navigations = Object.entries(type).filter(([, value]) => value?.$Kind === 'NavigationProperty')
      .map(([nav, value]) => ({
        name: nav, collection: value.$Collection === true, target: value.$Type.slice(value.$Type.lastIndexOf('.') + 1),
        constraints: value.$ReferentialConstraint ?? {},
      }));
    const flag = (term, member) => set[`@Capabilities.${term}`]?.[member] === true;
    const paths = (term, member) => new Set(set[`@Capabilities.${term}`]?.[member] ?? []);
    this.insertable = flag('InsertRestrictions', 'Insertable');
    this.updatable = flag('UpdateRestrictions', 'Updatable');
    this.deletable = flag('DeleteRestrictions', 'Deletable');
    this.notInsertable = paths('InsertRestrictions', 'NonInsertableProperties');
    this.notUpdatable = paths('UpdateRestrictions', 'NonUpdatableProperties');
    this.byName = new Map(this.fields.map((field) => [field.name, field]));
  }

  field(name) {
    return this.byName.get(name) ?? null;
  }

  // The link behind a field whose value is the key of another record.
  linkOf(fieldName) {
    return this.navigations.find((nav) => !nav.collection && Object.entries(nav.constraints).length === 1 && nav.constraints[fieldName] !== undefined) ?? null;
  }
}

export class Model {
  constructor(csdl, about) {
    const namespace = csdl.$EntityContainer.slice(0, csdl.$EntityContainer.lastIndexOf('.'));
    const schema = csdl[namespace];
    const container = schema[csdl.$EntityContainer.slice(namespace.length + 1)];
    this.user = about.user;
    this.mayExplain = about.mayExplain;
    this.mayEditCatalog = about.mayEditCatalog;
    this.mayUseWorkbench = about.mayUseWorkbench;
    this.tables = about.tables;
    this.objects = new Map();
    const known = new Map(about.objects.map((object) => [object.name, object]));
    for (const [name, set] of Object.entries(container)) {
      if (set?.$Collection !== true) continue;
      const type = schema[set.$Type.slice(set.$Type.lastIndexOf('.') + 1)];
      this.objects.set(name, new ExternalObject(name, type, set, schema, known.get(name)));
    }
  }

  object(name) {
    return this.objects.get(name) ?? null;
  }

  // The object that an answer is about, by its context URL, and whether it is one record.
  ofContext(context) {
    const fragment = decodeURIComponent((context ?? '').split('#')[1] ?? '');
    const entity = fragment.endsWith('/$entity');
    const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(fragment)?.[0] ?? '';
    const rest = fragment.slice(name.length).replace(/\/\$entity$/, '');
    const whole = rest === '' || (rest.startsWith('(') && rest.endsWith(')') && !/^\('/.test(rest));
    return { object: whole ? this.object(name) : null, entity };
  }
}

let loading = null;
export function loadModel(again = false) {
  if (loading === null || again) {
    loading = Promise.all([get(ROOT + '$metadata?$format=json'), helperGet('objects')])
      .then(([csdl, about]) => new Model(csdl.body, about.body));
    loading.catch(() => { loading = null; });
  }
  return loading;
}
