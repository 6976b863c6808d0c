import {
  atFragment,
  followReferences,
  isObject,
  type JsonObject,
  MAX_JSON_DEPTH,
} from '@agentic-rest/profile'
import { isDeeperThan } from '../json-value.ts'
import type { ToolFault } from './tool.ts'

/** The most bytes of a tool's input schema. */
export const MAX_SCHEMA_BYTES = 65_536
// The smallest schema is `{}`. A copy ends here, so that a large document cannot block the process.
const MAX_SCHEMAS = MAX_SCHEMA_BYTES / 2

/** A schema that cannot be part of a tool. */
export class SchemaError extends Error {
  readonly fault: ToolFault
  constructor(code: ToolFault['code'], message: string) {
    super(message)
    this.fault = { code, message }
  }
}

const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemaMembers = new Set([
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
])
const references = new Set(['$ref', '$dynamicRef'])
// Definitions become members of the tool's own `$defs`; a base address would change the meaning of references. A schema
// with `x-mcp-header` would oblige clients to repeat arguments in headers.
const dropped = new Set([
  '$defs',
  'definitions',
  '$id',
  '$schema',
  '$anchor',
  '$dynamicAnchor',
  'discriminator',
  'xml',
  'x-mcp-header',
])

/** Copies schemas of a document into one tool: local references become `$defs` of the tool. */
export class SchemaCopy {
  readonly definitions: Record<string, unknown> = Object.create(null)
  readonly #document: JsonObject
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #lastNumbers = new Map<string, number>()
  #copied = 0

  constructor(document: JsonObject) {
    this.#document = document
  }

  /** A copy of a schema; throws a `SchemaError` for one that no tool can have. */
  copy(schema: unknown, depth = 1): unknown {
    if (depth > MAX_JSON_DEPTH) {
      throw new SchemaError('too_deep', `the schema has more than ${MAX_JSON_DEPTH} levels`)
    }
    this.#copied += 1
    if (this.#copied > MAX_SCHEMAS) throw tooLarge()
    if (!isObject(schema)) return schema
    const copied: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (dropped.has(key)) continue
      Object.defineProperty(copied, key, {
        value: this.#member(key, value, depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    // VS Code refuses a whole list of tools for one array without `items`.
    if (isArraySchema(copied) && !('items' in copied) && !('prefixItems' in copied)) copied['items'] = {}
    return copied
  }

  /** Follows the references of a value in the document. */
  resolve(value: unknown): unknown {
    const found = followReferences(value, (reference) => this.#target(reference))
    if (found === undefined && value !== undefined)
      throw new SchemaError('too_deep', 'the references form a circle')
    return found
  }

  #member(key: string, value: unknown, depth: number): unknown {
    if (references.has(key) && typeof value === 'string') return this.#reference(value, depth)
    if (schemaMaps.has(key) && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.copy(each, depth)]))
    }
    if (schemaLists.has(key) && Array.isArray(value)) return value.map((each) => this.copy(each, depth))
    return schemaMembers.has(key) ? this.copy(value, depth) : value
  }

  #reference(pointer: string, depth: number): string {
    const known = this.#names.get(pointer)
    if (known !== undefined) return `#/$defs/${known}`
    const target = this.#target(pointer)
    const name = this.#freeName(pointer)
    this.#names.set(pointer, name)
    this.definitions[name] = this.copy(target, depth)
    return `#/$defs/${name}`
  }

  #freeName(pointer: string): string {
    const base = (pointer.split('/').at(-1) ?? '').replaceAll(/[^\w.-]/g, '_') || 'root'
    let number = this.#lastNumbers.get(base) ?? 0
    let name: string
    do {
      number += 1
      name = number === 1 ? base : `${base}_${number}`
    } while (this.#taken.has(name))
    this.#lastNumbers.set(base, number)
    this.#taken.add(name)
    return name
  }

  #target(pointer: string): unknown {
    if (!pointer.startsWith('#')) {
      throw new SchemaError('foreign_reference', 'a reference leads out of the document')
    }
    if (pointer !== '#' && !pointer.startsWith('#/')) {
      throw new SchemaError('missing_reference', 'a reference to an anchor is not supported')
    }
    const found = atFragment(this.#document, pointer.slice(1))
    if (found === undefined)
      throw new SchemaError('missing_reference', 'a reference has no target in the document')
    return found
  }
}

function isArraySchema({ type }: Record<string, unknown>): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'))
}

/** Refuses an input schema above the limits. */
export function checkSize(schema: JsonObject): void {
  if (isDeeperThan(schema, MAX_JSON_DEPTH)) {
    throw new SchemaError('too_deep', `the schema has more than ${MAX_JSON_DEPTH} levels`)
  }
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES) {
    throw tooLarge()
  }
}

function tooLarge(): SchemaError {
  return new SchemaError('too_large', `the schema has more than ${MAX_SCHEMA_BYTES} bytes`)
}
