import { outcomes, profileVersions } from '@agentic-rest/profile'
import { loadSchema } from '@agentic-rest/profile/validate'
import { below, type FileFault, isObject } from './file-faults.ts'

/** Gives another document that a reference names, or undefined when there is none. */
export type OtherDocument = (address: string) => unknown

/** The references of one document. */
export interface References {
  /** What a value stands for: itself, or what its `$ref` leads to; undefined when that leads nowhere. */
  follow(value: unknown): unknown
  /** Every reference in the document that leads nowhere. */
  faults(): FileFault[]
}

const LONGEST_CHAIN = 32
const MOST_FAULTS = 250

/** Follows `$ref` within a document and to others. */
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

/** The published schemas can be named by their identifiers. */
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

/** Walks with a list of its own: a document may be nested deeper than calls can be. */
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
