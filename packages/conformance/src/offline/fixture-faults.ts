import { outcomes, type ProfileVersion, type SchemaName } from '@agentic-rest/profile'
import { type BodyValidator, createBodyValidator } from '@agentic-rest/profile/validate'
import { currentValidator } from './current-validator.ts'
import { below, type FileFault, isObject } from './fault.ts'

const schemaNames = new Set<unknown>(
  Object.values(outcomes)
    .map(({ schema }) => schema)
    .filter((schema) => schema !== null),
)

/** Whether a document is a file of a fixture corpus. */
export function isFixtureFile(document: unknown): boolean {
  return isObject(document) && 'cases' in document && 'schema' in document
}

/** The faults of a fixture file: each valid case has to pass its schema, and each invalid one to fail it. */
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
