import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProfileVersion } from '@agentic-rest/profile'
import { createBodyValidator } from '@agentic-rest/profile/validate'
import { below, type FileFault, fixtureFaults, isFixtureFile, manifestFaults } from './file-faults.ts'
import { isOpenApi, openApiFaults } from './openapi-faults.ts'
import { readDocument } from './read-document.ts'
import type { OtherDocument } from './references.ts'

/** The detected kind of a file. */
export type FileKind = 'body' | 'fixtures' | 'openapi' | 'package' | 'unreadable'

/** The result for one file. */
export interface FileResult {
  readonly file: string
  readonly kind: FileKind
  readonly valid: boolean
  readonly faults: readonly FileFault[]
}

// More faults would not be read and take time.
const MOST_FAULTS = 250

/** Validates a body, a list of bodies, a fixture file, an OpenAPI document or a package.json, without a network. */
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
  const valid = faults.length === 0
  if (faults.length <= MOST_FAULTS) return { file, kind, valid, faults }
  const more = { pointer: '', rule: 'more', message: `only the first ${MOST_FAULTS} faults are listed` }
  return { file, kind, valid, faults: [...faults.slice(0, MOST_FAULTS), more] }
}

function bodyFaults(document: unknown, version: ProfileVersion | undefined): FileFault[] {
  const validator = createBodyValidator(version)
  if (!Array.isArray(document)) return [...validator.validate(document).errors]
  if (document.length === 0)
    return [{ pointer: '', rule: 'minItems', message: 'must be a body or a list of at least one body' }]
  const faults: FileFault[] = []
  for (const [index, body] of document.entries()) {
    if (faults.length > MOST_FAULTS) break
    const { errors } = validator.validate(body)
    faults.push(...errors.map((error) => ({ ...error, pointer: `${below('', index)}${error.pointer}` })))
  }
  return faults
}

/** Loads referenced documents from files beside this one or from installed packages. It fetches nothing. */
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
