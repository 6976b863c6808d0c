import { atFragment, followReferences, isReference, outcomes, profileVersions } from '@agentic-rest/profile'
import { loadSchema } from '@agentic-rest/profile/validate'
import { below, type FileFault } from './file-faults.ts'

/** Loads another document by its address, or returns undefined. */
export type OtherDocument = (address: string) => unknown

/** The references of one document. */
export interface References {
  /** The target of one reference, or undefined. */
  find(reference: string): unknown
  /** Resolves a value with `$ref`; returns other values unchanged, and undefined for a broken reference. */
  follow(value: unknown): unknown
  /** All broken references of the document. */
  faults(): FileFault[]
}

const MOST_FAULTS = 250

/** Resolves `$ref` within a document and to other documents. */
export function createReferences(document: unknown, other: OtherDocument): References {
  const find = (reference: string): unknown => {
    const [address = '', fragment = ''] = reference.split('#', 2)
    return atFragment(address === '' ? document : (profileSchema(address) ?? other(address)), fragment)
  }
  const follow = (value: unknown): unknown => followReferences(value, find)
  return { find, follow, faults: () => findFaults(document, follow) }
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
