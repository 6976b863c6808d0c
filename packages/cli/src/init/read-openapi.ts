import { readFileSync, statSync } from 'node:fs'
import { parseDocument } from 'yaml'
import { InitError } from './init-error.ts'
import { type JsonMap, listOf, mapOf, textOf } from './json-shape.ts'

const MAX_BYTES = 10_485_760
const MAX_ALIASES = 100

/** An OpenAPI 3 document, with a way to follow its references. */
export interface OpenApi {
  readonly document: JsonMap
  /** What a value stands for, if it is a reference within the document. */
  follow(value: unknown): JsonMap
}

/** Reads an OpenAPI document in YAML or JSON, or throws an `InitError`. */
export function readOpenApi(file: string): OpenApi {
  const document = mapOf(parse(file))
  if (!/^3\./.test(String(document['openapi'])) || Object.keys(mapOf(document['paths'])).length === 0)
    throw new InitError(`${file} is no OpenAPI 3 document with paths`)
  return { document, follow: (value) => follow(document, value, new Set()) }
}

function parse(file: string): unknown {
  try {
    if (statSync(file).size > MAX_BYTES) throw new InitError(`${file} is larger than ${MAX_BYTES} bytes`)
    const parsed = parseDocument(readFileSync(file, 'utf8'), { stringKeys: true })
    if (parsed.errors.length === 0) return parsed.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    if (error instanceof InitError) throw error
    throw new InitError(`${file} cannot be read`)
  }
  throw new InitError(`${file} is neither YAML nor JSON`)
}

function follow(document: JsonMap, value: unknown, seen: Set<string>): JsonMap {
  const map = mapOf(value)
  const reference = textOf(map['$ref'])
  if (reference === undefined) return map
  // Another file, or a circle of references that leads nowhere.
  if (!reference.startsWith('#/') || seen.has(reference)) return {}
  seen.add(reference)
  const steps = reference.slice(2).split('/').map(unescapeStep)
  return follow(document, steps.reduce<unknown>(stepInto, document), seen)
}

function stepInto(at: unknown, step: string): unknown {
  if (Array.isArray(at)) return listOf(at)[Number(step)]
  return Object.hasOwn(mapOf(at), step) ? mapOf(at)[step] : undefined
}

/** RFC 6901, section 4. */
function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
