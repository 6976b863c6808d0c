import { PROFILE_VERSION } from '@agentic-rest/profile'
import { type FileFault, isObject } from './fault.ts'

/** What a package says of itself when it keeps the profile (Versioning, rule 2). */
export const DECLARATION = `Supports Agentic Profile ${PROFILE_VERSION}`

/** The faults of a package.json: the declaration stands in its description, or in any other text of its metadata. */
export function manifestFaults(manifest: unknown): FileFault[] {
  if (!isObject(manifest)) return [{ pointer: '', rule: 'type', message: 'must be an object' }]
  if (isSilent(manifest) || texts(manifest).some((text) => declares(text))) return []
  return [{ pointer: '/description', rule: 'declaration', message: `has to say "${DECLARATION}"` }]
}

/** Whether a package is never published and says nothing: it declares the profile to nobody. */
export function isSilent(manifest: unknown): boolean {
  return isObject(manifest) && manifest['private'] === true && !texts(manifest).some((text) => declares(text))
}

const metadata = ['description', 'keywords', 'agentic']

function texts(manifest: Readonly<Record<string, unknown>>): string[] {
  return metadata
    .flatMap((key) => manifest[key])
    .flatMap((value) => (isObject(value) ? Object.values(value) : [value]))
    .filter((value) => typeof value === 'string')
}

// Not v0.31, and not v0.3.1.
function declares(text: string): boolean {
  const at = text.indexOf(DECLARATION)
  return at !== -1 && !/^\.?\d/.test(text.slice(at + DECLARATION.length))
}
