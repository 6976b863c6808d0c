import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { schemaId } from './body-schemas.ts'
import { schemaByBodyType } from './body-shapes.ts'
import { PROFILE_VERSION, type ProfileVersion, profileVersions, type SchemaName } from './outcomes.ts'
import { parseOwnJson } from './parse-json.ts'
import { pointerStep } from './references.ts'

/** One fault of a body, at a JSON Pointer. */
export interface ValidationError {
  readonly pointer: string
  /** The violated JSON Schema keyword. */
  readonly rule: string
  readonly message: string
}

/** The result of a validation. `errors` is empty if and only if `valid` is true. */
export interface ValidationResult {
  readonly valid: boolean
  readonly errors: readonly ValidationError[]
}

/** Validates bodies against one version's schema set. */
export interface BodyValidator {
  /** Validates against the schema of the body's `type`. An unknown `type` is invalid. */
  validate(body: unknown): ValidationResult
  /** Validates against a named schema, independent of `type`. */
  validateAs(name: SchemaName, body: unknown): ValidationResult
}

/** Creates a validator with the published schemas of a version. Each is compiled at its first use. */
export function createBodyValidator(version: ProfileVersion = PROFILE_VERSION): BodyValidator {
  if (!profileVersions.includes(version))
    throw new RangeError(
      `there is no profile version ${JSON.stringify(version)}: ${profileVersions.join(', ')}`,
    )
  const ajv = new Ajv2020({ allErrors: true, strict: true, ownProperties: true })
  const validateAs = (name: SchemaName, body: unknown) => {
    const known = ajv.getSchema(schemaId(version, name))
    return run((known as ValidateFunction | undefined) ?? ajv.compile(loadSchema(version, name)), body)
  }
  return {
    validateAs,
    validate(body) {
      const type = typeof body === 'object' && body !== null ? (body as { type?: unknown }).type : undefined
      const name = typeof type === 'string' ? schemaByBodyType.get(type) : undefined
      return name === undefined ? unknownType(body, type) : validateAs(name, body)
    },
  }
}

/** Validates one body. For many bodies use `createBodyValidator`. */
export function validateBody(
  body: unknown,
  options: { readonly version?: ProfileVersion } = {},
): ValidationResult {
  return createBodyValidator(options.version).validate(body)
}

/** The published JSON Schema of a body shape. */
export function loadSchema(version: ProfileVersion, name: SchemaName): Record<string, unknown> {
  const file = new URL(`../schemas/${version}/${name}.json`, import.meta.url)
  return parseOwnJson(readFileSync(file, 'utf8')) as Record<string, unknown>
}

function run(validator: ValidateFunction, body: unknown): ValidationResult {
  const valid = validator(body) === true
  return { valid, errors: valid ? [] : (validator.errors ?? []).map(readable) }
}

function unknownType(body: unknown, type: unknown): ValidationResult {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { valid: false, errors: [{ pointer: '', rule: 'type', message: 'must be an object' }] }
  const known = [...schemaByBodyType.keys()].join(', ')
  const error =
    type === undefined
      ? { pointer: '/type', rule: 'required', message: 'is required' }
      : { pointer: '/type', rule: 'enum', message: `must be one of ${known}` }
  return { valid: false, errors: [error] }
}

/** Words a fault as the decoder does, so that messages are the same everywhere. */
function readable({ keyword: rule, params, instancePath: pointer, message }: ErrorObject): ValidationError {
  switch (rule) {
    case 'required':
      return { rule, pointer: child(pointer, params['missingProperty']), message: 'is required' }
    case 'additionalProperties':
      return {
        rule,
        pointer: child(pointer, params['additionalProperty']),
        message: 'is not part of this body',
      }
    case 'const':
      return { rule, pointer, message: `must be "${params['allowedValue']}"` }
    case 'enum':
      return { rule, pointer, message: `must be one of ${params['allowedValues'].join(', ')}` }
    case 'type':
      return {
        rule,
        pointer,
        message: `must be ${/^[aio]/.test(params['type']) ? 'an' : 'a'} ${params['type']}`,
      }
    case 'minLength':
    case 'minItems':
      return { rule, pointer, message: 'must not be empty' }
    case 'minimum':
      return { rule, pointer, message: `must be at least ${params['limit']}` }
    default:
      return { rule, pointer, message: message ?? `breaks ${rule}` }
  }
}

function child(pointer: string, name: string): string {
  return `${pointer}${pointerStep(name)}`
}
