import { createReferences, readDocument } from '@agentic-rest/conformance'
import { InitError } from './init-error.ts'
import { type JsonMap, mapOf } from './json-shape.ts'

/** An OpenAPI 3 document, with a way to follow its references. */
export interface OpenApi {
  readonly document: JsonMap
  /** What a value stands for, if it is a reference within the document. */
  follow(value: unknown): JsonMap
}

/** Reads an OpenAPI document in YAML or JSON, or throws an `InitError`. */
export function readOpenApi(file: string): OpenApi {
  const read = readDocument(file, 'yaml')
  if ('fault' in read) throw new InitError(`${file}: ${read.fault}`)
  const document = mapOf(read.document)
  if (!/^3\./.test(String(document['openapi'])) || Object.keys(mapOf(document['paths'])).length === 0)
    throw new InitError(`${file}: this is no OpenAPI 3 document with paths`)
  const references = createReferences(document, () => undefined)
  return { document, follow: (value) => mapOf(references.follow(value)) }
}
