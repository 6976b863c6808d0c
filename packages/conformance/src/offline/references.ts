import { outcomes, profileVersions } from '@agentic-rest/profile'
import { loadSchema } from '@agentic-rest/profile/validate'
import { below, type FileFault, isObject } from './file-faults.ts'

/** Loads another document by its address, or returns undefined. */
export type OtherDocument = (address: string) => unknown

/** The references of one document. */
export interface References {
  /** Resolves a value with `$ref`; returns other values unchanged, and undefined for a broken reference. */
  follow(value: unknown): unknown
  /** All broken references of the document. */
  faults(): FileFault[]
}

const LONGEST_CHAIN = 32
const MOST_FAULTS = 250

/** Resolves `$ref` within a document and to other documents. */
export function createReferences(document: unknown, other: OtherDocument): References {
  const resolve = (reference: string): unknown => {
    const [address = '', fragment = ''] = reference.split('#', 2)
    return atPointer(address === '' ? document : (profileSchema(address) ?? other(address)), fragment)
  }
  const follow = (value: unknown): unknown => {
    let at = value
    for (let count = 0; count < LONGEST_CHAIN; count++) {
      if (!isReference(at)) return at
      at = resolve(at.$ref)
    }
    return undefined
  }
  return { follow, faults: () => findFaults(document, follow) }
}

function isReference(value: unknown): value is { $ref: string } {
  return isObject(value) && typeof value['$ref'] === 'string'
}

/** Finds a published schema by its `$id`. */
function profileSchema(address: string): unknown {
  for (const version of profileVersions) {
    for (const { schema } of Object.values(outcomes)) {
      if (schema === null) continue
      const loaded = loadSchema(version, schema)
      if (loaded['$id'] === address) return loaded
    }
  }
  return undefined
}

function atPointer(document: unknown, fragment: string): unknown {
  if (fragment === '') return document
  let at = document
  for (const step of decode(fragment).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return at
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Finds broken references without recursion, because a document may be nested deeply. */
function findFaults(document: unknown, follow: References['follow']): FileFault[] {
  const faults: FileFault[] = []
  const open: { value: unknown; pointer: string }[] = [{ value: document, pointer: '' }]
  const seen = new Set<unknown>()
  for (let next = open.pop(); next !== undefined && faults.length < MOST_FAULTS; next = open.pop()) {
    const { value, pointer } = next
    // YAML aliases can make a document that contains itself.
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    if (isReference(value) && follow(value) === undefined)
      faults.push({ pointer: below(pointer, '$ref'), rule: 'reference', message: 'leads nowhere' })
    for (const [key, child] of Object.entries(value))
      open.push({ value: child, pointer: below(pointer, key) })
  }
  return faults.toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1))
}
