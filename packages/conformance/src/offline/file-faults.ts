import {
  isObject,
  outcomes,
  PROFILE_VERSION,
  type ProfileVersion,
  pointerStep,
  type SchemaName,
} from '@agentic-rest/profile'
import { type BodyValidator, createBodyValidator } from '@agentic-rest/profile/validate'

/** One fault of a file, at a JSON Pointer. */
export interface FileFault {
  readonly pointer: string
  /** The stable id of the kind of fault. */
  readonly rule: string
  readonly message: string
}

/** Appends members to a JSON Pointer, with escapes. */
export function below(pointer: string, ...steps: readonly (string | number)[]): string {
  return `${pointer}${steps.map(pointerStep).join('')}`
}

/** The validator of the current version. Each schema is compiled at its first use. */
export const currentValidator = createBodyValidator()

const schemaNames = new Set<unknown>(
  Object.values(outcomes)
    .map(({ schema }) => schema)
    .filter((schema) => schema !== null),
)

/** Whether a document is a file of a fixture corpus. */
export function isFixtureFile(document: unknown): boolean {
  return isObject(document) && 'cases' in document && 'schema' in document
}

/** The faults of a fixture file: valid cases must pass their schema, invalid ones must fail it. */
export function fixtureFaults(document: unknown, version?: ProfileVersion): FileFault[] {
  if (!isObject(document) || !schemaNames.has(document['schema']))
    return [{ pointer: '/schema', rule: 'fixture', message: `must be one of ${[...schemaNames].join(', ')}` }]
  const { schema, cases } = document
  if (!Array.isArray(cases) || cases.length === 0)
    return [{ pointer: '/cases', rule: 'fixture', message: 'must be a list with at least one case' }]
  const validator = version === undefined ? currentValidator : createBodyValidator(version)
  return cases.flatMap((one: unknown, index) =>
    caseFaults(one, { validator, schema: schema as SchemaName, pointer: below('/cases', index) }),
  )
}

interface CaseContext {
  readonly validator: BodyValidator
  readonly schema: SchemaName
  readonly pointer: string
}

function caseFaults(one: unknown, { validator, schema, pointer }: CaseContext): FileFault[] {
  if (!isObject(one) || typeof one['valid'] !== 'boolean' || !('body' in one))
    return [{ pointer, rule: 'fixture', message: 'must have valid (true or false) and body' }]
  const { valid, errors } = validator.validateAs(schema, one['body'])
  if (valid === one['valid']) return []
  if (valid) return [{ pointer, rule: 'fixture', message: 'is marked invalid and passes its schema' }]
  return errors.map((error) => ({
    pointer: `${pointer}/body${error.pointer}`,
    rule: error.rule,
    message: `is marked valid, and ${error.message}`,
  }))
}

/** The declaration of a package (Versioning, rule 2). */
const DECLARATION = `Supports Agentic Profile ${PROFILE_VERSION}`

/** The faults of a package.json. The declaration may be in its description or other metadata. */
export function manifestFaults(manifest: unknown): FileFault[] {
  if (!isObject(manifest)) return [{ pointer: '', rule: 'type', message: 'must be an object' }]
  if (isSilent(manifest) || texts(manifest).some((text) => declares(text))) return []
  return [{ pointer: '/description', rule: 'declaration', message: `must contain "${DECLARATION}"` }]
}

/** Whether a package is private and has no declaration. It is not published, so it needs none. */
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
