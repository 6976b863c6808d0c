import { closeSync, openSync, readSync } from 'node:fs'
import { parseJson } from '@agentic-rest/profile'
import { LineCounter, parseDocument } from 'yaml'

/** The content of a file, or the reason why it cannot be read. */
export type ReadDocument = { readonly document: unknown } | { readonly fault: string }

const MAX_BYTES = 33_554_432
const MAX_ALIASES = 1000

/** Reads a JSON or YAML file. The extension decides the syntax; `otherwise` applies to other extensions. */
export function readDocument(file: string, otherwise: 'json' | 'yaml' = 'json'): ReadDocument {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readStart(file))
  } catch (error) {
    return { fault: reasonOf(error) }
  }
  if (text.length > MAX_BYTES) return { fault: `the file is larger than ${MAX_BYTES} bytes` }
  return parsers[syntaxOf(file) ?? otherwise](text)
}

function syntaxOf(file: string): 'json' | 'yaml' | undefined {
  if (/\.ya?ml$/i.test(file)) return 'yaml'
  return /\.json$/i.test(file) ? 'json' : undefined
}

const parsers = {
  json(text: string): ReadDocument {
    const { value, fault } = parseJson(text)
    return fault
      ? { fault: `the file is not valid JSON${placeText(fault.line, fault.column)}` }
      : { document: value }
  },
  yaml(text: string): ReadDocument {
    const lines = new LineCounter()
    try {
      const parsed = parseDocument(text, { prettyErrors: false, logLevel: 'error', lineCounter: lines })
      const [first] = parsed.errors
      if (first === undefined) return { document: parsed.toJS({ maxAliasCount: MAX_ALIASES }) }
      const { line, col } = lines.linePos(first.pos[0])
      return { fault: `the file is not valid YAML${placeText(line, col)}` }
    } catch (error) {
      return { fault: yamlReason(error) }
    }
  },
} as const

function placeText(line: number | string | undefined, column: number | string | undefined): string {
  return line === undefined ? '' : ` (line ${line}, column ${column})`
}

/** Aliases are resolved after parsing, so these errors have no position. */
function yamlReason(error: unknown): string {
  if (!(error instanceof ReferenceError)) return 'the file is nested too deeply'
  return error.message.startsWith('Excessive alias')
    ? 'the aliases of the file (*name) expand to too many values'
    : 'an alias of the file (*name) is not defined'
}

/** Reads up to the size limit, because a device may never end. */
function readStart(file: string): Uint8Array {
  const descriptor = openSync(file, 'r')
  const chunks: Buffer[] = []
  try {
    for (let size = 0; size <= MAX_BYTES; ) {
      const chunk = Buffer.allocUnsafe(65_536)
      const length = readSync(descriptor, chunk, 0, chunk.length, null)
      if (length === 0) break
      chunks.push(chunk.subarray(0, length))
      size += length
    }
    return Buffer.concat(chunks)
  } finally {
    closeSync(descriptor)
  }
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'the file may not be read'],
  ['EISDIR', 'this is a folder, not a file'],
  ['ERR_ENCODING_INVALID_ENCODED_DATA', 'the file is not UTF-8 text'],
])

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return reasons.get(code) ?? 'the file cannot be read'
}
