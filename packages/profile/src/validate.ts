import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { schemaByBodyType } from './body-shapes.ts'
import { escapePointer } from './check-shape.ts'
import { outcomes, outcomeTypes, PROFILE_VERSION, type ProfileVersion, type SchemaName } from './outcomes.ts'

/** One fault of a body, at a JSON Pointer. */
export interface ValidationError {
  readonly pointer: string
  /** The JSON Schema keyword that the body breaks. */
  readonly rule: string
  readonly message: string
}

/** The result of a validation; `errors` is empty exactly when `valid`. */
export interface ValidationResult {
  readonly valid: boolean
  readonly errors: readonly ValidationError[]
}

/** Validates bodies against one version's schema set. */
export interface BodyValidator {
  /** The shape is chosen by the body's `type`; an unknown `type` is invalid. */
  validate(body: unknown): ValidationResult
  /** Validates against one named schema whatever `type` says. */
  validateAs(name: SchemaName, body: unknown): ValidationResult
}

/** Loads and compiles the published schemas of a version. */
export function createBodyValidator(version: ProfileVersion = PROFILE_VERSION): BodyValidator {
  const ajv = new Ajv2020({ allErrors: true, strict: true, verbose: true })
  const names = new Set(outcomeTypes.map((type) => outcomes[type].schema).filter((name) => name !== null))
  const validators = new Map([...names].map((name) => [name, ajv.compile(loadSchema(version, name))]))
  const validateAs = (name: SchemaName, body: unknown) => run(validators.get(name), body)
  return {
    validateAs,
    validate(body) {
      const type = typeof body === 'object' && body !== null ? (body as { type?: unknown }).type : undefined
      const name = typeof type === 'string' ? schemaByBodyType.get(type) : undefined
      return name === undefined ? unknownType(body, type) : validateAs(name, body)
    },
  }
}

/** Validates one body. Callers with many bodies keep a `createBodyValidator` instead. */
export function validateBody(
  body: unknown,
  options: { readonly version?: ProfileVersion } = {},
): ValidationResult {
  return createBodyValidator(options.version).validate(body)
}

/** The published JSON Schema of a body shape. */
export function loadSchema(version: ProfileVersion, name: SchemaName): Record<string, unknown> {
  const file = new URL(`../schemas/${version}/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}

function run(validator: ValidateFunction | undefined, body: unknown): ValidationResult {
  if (validator === undefined) throw new TypeError('there is no such schema')
  const valid = validator(body)
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

function readable(error: ErrorObject): ValidationError {
  const { keyword: rule, params, instancePath } = error
  switch (rule) {
    case 'required':
      return { rule, pointer: child(instancePath, params['missingProperty']), message: 'is required' }
    case 'additionalProperties':
      return {
        rule,
        pointer: child(instancePath, params['additionalProperty']),
        message: 'is not part of this body',
      }
    case 'const':
      return { rule, pointer: instancePath, message: `must be "${params['allowedValue']}"` }
    case 'enum':
      return { rule, pointer: instancePath, message: `must be one of ${params['allowedValues'].join(', ')}` }
    default:
      return { rule, pointer: instancePath, message: error.message ?? `breaks ${rule}` }
  }
}

function child(pointer: string, name: string): string {
  return `${pointer}/${escapePointer(name)}`
}
