import { constantCodes, inputLocations, inputTypes } from './outcome.ts'
import type { SchemaName } from './outcomes.ts'

/**
 * The shape of a JSON value. The decoder checks bodies with it, and the published JSON Schemas are generated from it, so
 * the two cannot disagree.
 */
export type Shape =
  | { readonly kind: 'text'; readonly about: string; readonly nonEmpty?: true }
  | { readonly kind: 'oneOf'; readonly about: string; readonly values: readonly string[] }
  | { readonly kind: 'integer'; readonly about: string; readonly minimum: number }
  | { readonly kind: 'boolean'; readonly about: string }
  | { readonly kind: 'list'; readonly about: string; readonly items?: Shape; readonly nonEmpty?: true }
  | ObjectShape

/** An object with exactly the named fields. */
export interface ObjectShape {
  readonly kind: 'object'
  readonly about: string
  readonly fields: Readonly<Record<string, Field>>
}

/** A field of an object; required by default. */
export type Field = Shape & { readonly optional?: true }

const text = (about: string): Shape => ({ kind: 'text', about })
const id = (about: string): Shape => ({ kind: 'text', about, nonEmpty: true })
const constant = (value: string): Shape & { kind: 'oneOf' } => ({
  kind: 'oneOf',
  about: `Always \`${value}\`.`,
  values: [value],
})
const optional = (shape: Shape): Field => ({ ...shape, optional: true })

const trace: ObjectShape = {
  kind: 'object',
  about: 'Ties the answer to its request.',
  fields: {
    correlationId: id('The id of the whole exchange, across services.'),
    requestId: id('The id of this one request.'),
  },
}

const message = text('What happened, for a person to read.')

const requiredInput: ObjectShape = {
  kind: 'object',
  about: 'One input to supply.',
  fields: {
    name: text('The field or parameter to supply.'),
    location: { kind: 'oneOf', about: 'Where to put it.', values: inputLocations },
    type: { kind: 'oneOf', about: 'A hint at its JSON type.', values: inputTypes },
    required: { kind: 'boolean', about: 'Whether the operation can proceed without it.' },
    question: text('What to ask the end user.'),
    allowedValues: optional({
      kind: 'list',
      about: 'The values to choose from; absent when any value will do.',
    }),
  },
}

const fieldError: ObjectShape = {
  kind: 'object',
  about: 'One fault of the request.',
  fields: { field: text('The field at fault.'), message: text('What is wrong with it.') },
}

/** The six body shapes by schema name. Bodies are written in the order of the fields. */
export const bodyShapes = {
  operation: {
    kind: 'object',
    about: 'The work was accepted and goes on in the background.',
    fields: {
      type: constant('operation_accepted'),
      code: optional(text('A code of the service.')),
      message: optional(message),
      operationId: text('A stable id for polling.'),
      statusUrl: text('Where to poll, relative or absolute.'),
      trace,
    },
  },
  clarification: {
    kind: 'object',
    about: 'The caller has to supply more inputs.',
    fields: {
      type: constant('clarification_required'),
      code: constant(constantCodes.clarification_required),
      message,
      requiredInputs: { kind: 'list', about: 'What to supply.', items: requiredInput, nonEmpty: true },
      trace,
    },
  },
  'validation-error': {
    kind: 'object',
    about: 'Something the caller sent is wrong.',
    fields: {
      type: constant('validation_failed'),
      code: constant(constantCodes.validation_failed),
      message,
      errors: { kind: 'list', about: 'The faults, one per field.', items: fieldError },
      trace,
    },
  },
  'approval-required': {
    kind: 'object',
    about: 'Somebody has to approve before the operation proceeds.',
    fields: {
      type: constant('approval_required'),
      code: constant(constantCodes.approval_required),
      message,
      approvalToken: text('Opaque; sent again with the request once it is approved.'),
      approver: optional({
        kind: 'object',
        about: 'Who may approve.',
        fields: { name: text('The name of the approver.') },
      }),
      trace,
    },
  },
  conflict: {
    kind: 'object',
    about: 'The request contradicts the state of a resource.',
    fields: {
      type: constant('conflict'),
      code: text('A code of the service.'),
      message,
      conflictingResourceId: optional(text('The resource in the way.')),
      trace,
    },
  },
  error: {
    kind: 'object',
    about: 'The generic error body.',
    fields: {
      type: {
        kind: 'oneOf',
        about: 'Which of the three outcomes this is.',
        values: ['forbidden', 'failed_dependency', 'error'],
      },
      code: text('A stable code.'),
      message,
      // Not negative, like the equal Retry-After header (RFC 9110 10.2.3).
      retryAfter: optional({
        kind: 'integer',
        about: 'Seconds to wait; only where a limit was exceeded.',
        minimum: 0,
      }),
      trace,
    },
  },
} as const satisfies Record<SchemaName, ObjectShape>

/** The schema name for each `type` of a body. */
export const schemaByBodyType: ReadonlyMap<string, SchemaName> = new Map(
  (Object.keys(bodyShapes) as SchemaName[]).flatMap((name) =>
    bodyShapes[name].fields.type.values.map((value): [string, SchemaName] => [value, name]),
  ),
)
