import type {
  ClarificationRequired,
  InputLocation,
  NonEmpty,
  Outcome,
  RequiredInput,
  ValidationFailed,
} from '@agentic-rest/profile'
import { clarificationFor, refusal } from '../refusals.ts'

/** The mapping of an inner outcome to an outcome of the caller. */
export interface Propagation {
  /** Own input names, by the inner name that differs from it. */
  readonly fields?: Readonly<Record<string, string>>
}

/** The locations of the calling operation's inputs. Without it, inner locations are kept. */
export interface OwnInputs {
  /** Returns `undefined` if the operation has no such input. */
  locationOf(name: string): InputLocation | undefined
}

/**
 * Maps the outcome of an inner agent to the outcome for the caller (Errors, rule 5). No outcome is swallowed: a failed
 * dependency and an approval stay unchanged, a clarification uses the names of the caller's inputs.
 */
export function propagate(inner: Outcome, options: Propagation = {}, own?: OwnInputs): Outcome {
  switch (inner.type) {
    case 'success':
    case 'created':
    case 'accepted':
    case 'approval_required':
    case 'forbidden':
    case 'conflict':
    case 'failed_dependency':
      return { ...inner }
    case 'clarification_required':
      return ownClarification(inner, options, own)
    case 'validation_failed':
      return ownValidation(inner, options)
    case 'error':
      // The inner agent failed, not this one. The code still identifies the failure.
      return { type: 'failed_dependency', code: inner.code, message: inner.message }
  }
}

function ownClarification(
  inner: ClarificationRequired,
  { fields = {} }: Propagation,
  own: OwnInputs | undefined,
): Outcome {
  const inputs: RequiredInput[] = []
  for (const input of inner.requiredInputs) {
    const name = ownName(input.name, fields)
    const location = own ? own.locationOf(name) : input.location
    // The caller cannot supply an input that this operation does not have.
    if (location === undefined) return refusal('DEPENDENCY_NEEDS_INPUT')
    inputs.push({ ...input, name, location })
  }
  return clarificationFor(inputs as unknown as NonEmpty<RequiredInput>)
}

/** An inner fault is the caller's fault only if every inner field comes from an input of the caller. */
function ownValidation(inner: ValidationFailed, { fields = {} }: Propagation): Outcome {
  const isOwn = inner.errors.length > 0 && inner.errors.every(({ field }) => Object.hasOwn(fields, field))
  if (!isOwn) return refusal('DEPENDENCY_REFUSED')
  return {
    ...inner,
    errors: inner.errors.map((fault) => ({ ...fault, field: ownName(fault.field, fields) })),
  }
}

function ownName(name: string, fields: Readonly<Record<string, string>>): string {
  return Object.hasOwn(fields, name) ? (fields[name] ?? name) : name
}
