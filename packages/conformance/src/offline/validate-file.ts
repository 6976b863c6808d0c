import { closeSync, openSync, readSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProfileVersion } from '@agentic-rest/profile'
import { createBodyValidator } from '@agentic-rest/profile/validate'
import { parse } from 'yaml'
import { below, type FileFault } from './fault.ts'
import { fixtureFaults, isFixtureFile } from './fixture-faults.ts'
import { manifestFaults } from './manifest-faults.ts'
import { isOpenApi, openApiFaults } from './openapi-faults.ts'
import type { OtherDocument } from './references.ts'

/** What a file was taken for. */
export type FileKind = 'body' | 'fixtures' | 'openapi' | 'package' | 'unreadable'

/** The faults of one file; none when it is valid. */
export interface FileResult {
  readonly file: string
  readonly kind: FileKind
  readonly valid: boolean
  readonly faults: readonly FileFault[]
}

const MAX_BYTES = 33_554_432
const MAX_ALIASES = 1000

/** Validates a body, a list of bodies, a file of fixtures, an OpenAPI document or a package.json, without asking anybody. */
export function validateFile(
  file: string,
  { version }: { readonly version?: ProfileVersion } = {},
): FileResult {
  const read = readDocument(file)
  if ('fault' in read)
    return toResult(file, 'unreadable', [{ pointer: '', rule: 'file', message: read.fault }])
  const { document } = read
  if (basename(file) === 'package.json') return toResult(file, 'package', manifestFaults(document))
  if (isFixtureFile(document)) return toResult(file, 'fixtures', fixtureFaults(document, version))
  if (isOpenApi(document)) return toResult(file, 'openapi', openApiFaults(document, beside(file)))
  return toResult(file, 'body', bodyFaults(document, version))
}

function toResult(file: string, kind: FileKind, faults: readonly FileFault[]): FileResult {
  return { file, kind, valid: faults.length === 0, faults }
}

function bodyFaults(document: unknown, version: ProfileVersion | undefined): FileFault[] {
  const validator = createBodyValidator(version)
  if (!Array.isArray(document)) return [...validator.validate(document).errors]
  return document.flatMap((body, index) =>
    validator
      .validate(body)
      .errors.map((error) => ({ ...error, pointer: `${below('', index)}${error.pointer}` })),
  )
}

/** Documents that another names are files next to it, or of an installed package; nothing is fetched. */
function beside(file: string): OtherDocument {
  return (address) => {
    if (/^[a-z][a-z0-9+.-]+:/i.test(address)) return undefined
    const read = readDocument(
      address.startsWith('@') ? packageFile(address) : resolve(dirname(file), address),
    )
    return 'fault' in read ? undefined : read.document
  }
}

function packageFile(address: string): string {
  try {
    return fileURLToPath(import.meta.resolve(address))
  } catch {
    return address
  }
}

function readDocument(file: string): { document: unknown } | { fault: string } {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readStart(file))
  } catch (error) {
    return { fault: reasonOf(error) }
  }
  if (text.length > MAX_BYTES) return { fault: `the file is larger than ${MAX_BYTES} bytes` }
  try {
    const document = /\.ya?ml$/.test(file)
      ? parse(text, { maxAliasCount: MAX_ALIASES, prettyErrors: false, logLevel: 'error' })
      : JSON.parse(text)
    return { document }
  } catch {
    return { fault: /\.ya?ml$/.test(file) ? 'the file is not valid YAML' : 'the file is not valid JSON' }
  }
}

/** Not the whole of a device that never ends. */
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
