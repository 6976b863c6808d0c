import { type InputLocation, isObject } from '@agentic-rest/profile'
import type { KeptRequest } from '@agentic-rest/profile/approval'
import type { CollectedInput } from './input/collect-input.ts'
import { branches, dereference, type JsonSchema } from './input/json-schema.ts'
import type { Operation } from './operation.ts'

// The limit of the kept JSON, so that a page of approvals stays small.
const MAX_BYTES = 64 * 1024
const SECRET = '***'

/** A request with its inputs before they are parsed. */
interface Asked {
  readonly operation: Pick<Operation, 'method' | 'path' | 'fields' | 'jsonSchema'>
  readonly params: Readonly<Record<string, string>>
  readonly collected: CollectedInput
  readonly publicPath: string
}

/**
 * The request as those who decide see it. Values whose schema says `secret: true` become `***`; the digest still covers
 * them. Above 64 KiB the largest inputs are left out.
 */
export function keepRequest({ operation, params, collected, publicPath }: Asked): KeptRequest {
  const { method, fields, jsonSchema = {} } = operation
  const all = { ...collected, ...params }
  const redacted = redact(all, [jsonSchema], jsonSchema)
  const shown: Readonly<Record<string, unknown>> = isObject(redacted)
    ? redacted
    : Object.fromEntries(Object.keys(all).map((name) => [name, SECRET]))
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    pathText(shown[name], params[name]),
  )
  const placed = Object.entries(shown).map(([name, value]): Placed => {
    const place = Object.hasOwn(params, name) ? 'path' : (fields.get(name)?.location ?? 'body')
    const isKnown = place !== 'body' || fields.has(name)
    return { name, place, value, isKnown }
  })
  return withinLimit({ method, path: `${publicPath}${path}`, inputs: byPlace(placed) }, placed)
}

function pathText(shown: unknown, sent = ''): string {
  return shown === SECRET ? SECRET : encodeURIComponent(sent)
}

interface Placed {
  readonly name: string
  readonly place: InputLocation
  readonly value: unknown
  /** Whether the operation has an input of this name. */
  readonly isKnown: boolean
}

function byPlace(placed: readonly Placed[]): KeptRequest['inputs'] {
  const groups = Map.groupBy(placed, ({ place }) => place)
  return Object.fromEntries(
    [...groups].map(([place, members]) => [
      place,
      Object.fromEntries(members.map(({ name, value }) => [name, value])),
    ]),
  )
}

/** Many unknown members are all left out, so that a requester cannot hide an input behind them. */
function withinLimit(request: KeptRequest, placed: readonly Placed[]): KeptRequest {
  if (sizeOf(request) <= MAX_BYTES) return request
  const { method, path } = request
  const known = placed.filter(({ isKnown }) => isKnown)
  return (
    withoutLargest(request, placed) ??
    withoutLargest({ method, path, inputs: byPlace(known) }, known) ?? {
      method,
      path: path.slice(0, 1024),
      inputs: {},
      truncated: true,
    }
  )
}

/** Replaces the largest values by their size; `undefined` if the rest is still too large. */
function withoutLargest(request: KeptRequest, placed: readonly Placed[]): KeptRequest | undefined {
  let size = sizeOf(request)
  const left = new Map(placed.map((each) => [each, sizeOf(each.value)]))
  const cut: Placed[] = []
  for (const [each, bytes] of [...left].toSorted(([, one], [, other]) => other - one)) {
    if (size <= MAX_BYTES - 64 * cut.length) break
    left.delete(each)
    cut.push({ ...each, value: `(${bytes} bytes are not shown)` })
    size -= bytes
  }
  const { method, path } = request
  const shorter = { method, path, inputs: byPlace([...left.keys(), ...cut]), truncated: true } as const
  return sizeOf(shorter) <= MAX_BYTES ? shorter : undefined
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** A copy without secrets, by every schema that may apply to the value. */
function redact(value: unknown, schemas: readonly unknown[], root: JsonSchema): unknown {
  const all = applicable(schemas, root)
  if (all.some(({ secret }) => secret === true)) return SECRET
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value))
    return value.map((item, index) =>
      redact(
        item,
        all.flatMap((schema) => itemSchemas(schema, index)),
        root,
      ),
    )
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      storable(name),
      redact(
        member,
        all.flatMap((schema) => memberSchemas(schema, name)),
        root,
      ),
    ]),
  )
}

/** PostgreSQL refuses U+0000 and lone surrogates in JSON. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

/** The schemas with all their branches. A value of any branch with a secret is secret. */
function applicable(schemas: readonly unknown[], root: JsonSchema): readonly JsonSchema[] {
  const found = new Set<unknown>()
  const all: JsonSchema[] = []
  const waiting = [...schemas]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    found.add(next)
    const schema = resolved(next, root)
    all.push(schema)
    const alternatives = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) =>
      branches(schema, keyword),
    )
    waiting.push(
      ...alternatives,
      ...[schema['then'], schema['else']].filter((branch) => branch !== undefined),
    )
  }
  return all
}

/** A schema that cannot be resolved may mark a secret. */
function resolved(schema: unknown, root: JsonSchema): JsonSchema {
  try {
    return dereference(schema, root)
  } catch {
    return { secret: true }
  }
}

function itemSchemas({ items, prefixItems }: JsonSchema, index: number): readonly unknown[] {
  const first = [prefixItems, items].filter(Array.isArray).map((list: readonly unknown[]) => list[index])
  return [...first, Array.isArray(items) ? undefined : items].filter((schema) => schema !== undefined)
}

function memberSchemas(schema: JsonSchema, name: string): readonly unknown[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
  const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : undefined
  const others = [additionalProperties, unevaluatedProperties].filter((other) => other !== undefined)
  // Not compared with the name: a pattern of a schema may be slow.
  const byPattern = isObject(patternProperties) ? Object.values(patternProperties) : []
  return [...byPattern, ...(own ?? others)]
}
