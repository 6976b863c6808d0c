import { createReferences, readDocument } from '@agentic-rest/conformance'
import { type JsonObject, membersOf } from '@agentic-rest/profile'
import { InitError } from './init-error.ts'

/** An OpenAPI 3 document. */
export interface OpenApi {
  readonly document: JsonObject
  /** The target of one reference, or undefined. */
  find(reference: string): unknown
  /** Resolves a reference within the document; returns other values unchanged. */
  follow(value: unknown): JsonObject
}

/** Reads an OpenAPI document in YAML or JSON, or throws an `InitError`. */
export function readOpenApi(file: string): OpenApi {
  const read = readDocument(file, 'yaml')
  if ('fault' in read) throw new InitError(`${file}: ${read.fault}`)
  const api = asOpenApi(read.document)
  if (api === undefined) throw new InitError(`${file}: ${NO_OPENAPI}`)
  return api
}

/** The fault of another kind of document. */
export const NO_OPENAPI = 'this is not an OpenAPI 3 document with paths'

/** The value as an OpenAPI document; undefined for another one. */
export function asOpenApi(value: unknown): OpenApi | undefined {
  const document = membersOf(value)
  if (!/^3\./.test(String(document['openapi'])) || Object.keys(membersOf(document['paths'])).length === 0)
    return undefined
  const { find, follow } = createReferences(document, () => undefined)
  return { document, find, follow: (each) => membersOf(follow(each)) }
}

/** The value if it is a text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
