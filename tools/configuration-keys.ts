import { codeText, markdownTable, tableText } from './generated.ts'

/** The parts of a node of the configuration's JSON Schema that the tables use. */
export interface KeySchema {
  readonly type?: string
  /** A file name or a secret. */
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly anyOf?: readonly KeySchema[]
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly required?: readonly string[]
  readonly items?: KeySchema
  readonly additionalProperties?: KeySchema | boolean
}

/** One row of the table. */
export interface ConfigurationKey {
  /** Such as `routes[].path` or `plugins.license-check.tenants.<name>.features`. */
  readonly path: string
  readonly type: string
  readonly default: string
  readonly description: string
}

/** All keys below a node, in the order of the schema, each map before its keys. */
export function configurationKeys(schema: KeySchema, path = ''): ConfigurationKey[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const childPath = path === '' ? name : `${path}.${name}`
    const isRequired = schema.required?.includes(name) === true
    return [describeKey(child, childPath, isRequired), ...configurationKeys(child, childPath)]
  })
  const values = valuesOf(schema)
  return [
    ...own,
    ...(schema.items === undefined ? [] : configurationKeys(mapForm(schema.items), `${path}[]`)),
    ...(values === undefined ? [] : configurationKeys(values, `${path}.<name>`)),
  ]
}

/** Of a value of several forms, the one that is a map. */
function mapForm(schema: KeySchema): KeySchema {
  return schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema
}

function describeKey(schema: KeySchema, path: string, isRequired: boolean): ConfigurationKey {
  const { description = '' } = schema
  return { path, type: typeText(schema), default: isRequired ? 'required' : defaultText(schema), description }
}

/** The schema of the values in a map with free names; undefined for other nodes, and for values of any kind. */
function valuesOf({ additionalProperties }: KeySchema): KeySchema | undefined {
  if (typeof additionalProperties !== 'object') return undefined
  return Object.keys(additionalProperties).length === 0 ? undefined : additionalProperties
}

// Every value may be a `${VAR}`; the page says so once.
function withoutReference({ anyOf, ...schema }: KeySchema): KeySchema {
  return anyOf?.find(({ $ref }) => $ref === undefined) ?? schema
}

function typeText(schema: KeySchema): string {
  const plain = withoutReference(schema)
  if (plain.enum !== undefined) return plain.enum.map(codeText).join(', ')
  if (plain.const !== undefined) return codeText(String(plain.const))
  switch (plain.type) {
    case 'integer':
    case 'number':
      return `${plain.type}, ${plain.minimum} to ${plain.maximum}`
    case 'boolean':
      return '`true`, `false`'
    case 'array':
      return `list of ${itemText(plain.items ?? {})}`
    case 'object':
      return valuesOf(plain) === undefined ? 'map' : `map of ${itemText(valuesOf(plain) ?? {})} by name`
    default:
      return (plain.minLength ?? 0) > 1
        ? `${nameOf(schema)}, at least ${plain.minLength} characters`
        : nameOf(schema)
  }
}

function itemText(schema: KeySchema): string {
  const { type, enum: words } = withoutReference(schema)
  if (words !== undefined) return words.map(codeText).join(', ')
  if (type === 'object') return 'maps'
  return mapForm(schema).properties === undefined ? `${nameOf(schema)}s` : 'texts or maps'
}

/** The name of a text: a file name or a secret where the schema says so. */
function nameOf({ title = 'text' }: KeySchema): string {
  return title
}

function defaultText({ default: value, properties }: KeySchema): string {
  if (value === undefined) return 'absent'
  if (properties !== undefined) return 'its defaults'
  if (Array.isArray(value)) return codeText(`[${value.join(', ')}]`)
  return codeText(typeof value === 'string' && value !== '' ? value : JSON.stringify(value))
}

/** The keys as a Markdown table. */
export function keysTable(keys: readonly ConfigurationKey[]): string {
  return markdownTable(
    ['Key', 'Value', 'Default', 'Meaning'],
    keys.map((key) => [codeText(key.path), key.type, key.default, tableText(key.description)]),
  )
}
