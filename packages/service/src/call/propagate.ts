import type {
  ClarificationRequired,
  InputLocation,
  NonEmpty,
  Outcome,
  RequiredInput,
  ValidationFailed,
} from '@agentic-rest/profile'
import { clarificationFor, refusal } from '../refusals.ts'

/** How an inner outcome is made one's own. */
export interface Propagation {
  /** The own input name for each inner one that is called differently. */
  readonly fields?: Readonly<Record<string, string>>
}

/** Where the inputs of the calling operation are placed; without it inner places are kept. */
export interface OwnInputs {
  /** `undefined` when the operation has no such input. */
  locationOf(name: string): InputLocation | undefined
}

/**
 * What the caller of an agent gets for an outcome of an agent behind it (Errors, rule 5). No outcome is swallowed: a
 * failed dependency and an approval stay what they are, a clarification is asked in the caller's words.
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
      // The inner agent failed; this one did not. Its code still says which failure it was.
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
    // Nobody can answer a question for an input that the called operation does not have.
    if (location === undefined) return refusal('DEPENDENCY_NEEDS_INPUT')
    inputs.push({ ...input, name, location })
  }
  return clarificationFor(inputs as unknown as NonEmpty<RequiredInput>)
}

/** A fault is the caller's own only where an inner field was made of one of the caller's inputs. */
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
