import type {
  ClarificationRequired,
  FieldError,
  RequiredInput,
  ValidationFailed,
} from '@agentic-rest/profile'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Operation } from '../operation.ts'
import { clarificationFor, invalidRequest, shorten } from '../refusals.ts'
import type { CollectedInput } from './collect-input.ts'

/** The parsed inputs, or the outcome for invalid or missing ones. */
type InputCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly outcome: ClarificationRequired | ValidationFailed }

// A gateway reads at most 1 MiB of a typed body, so a longer list of faults would not reach the caller.
const MAX_FAULTS = 100

/**
 * Checks the inputs of a request. Invalid inputs come first, because answers to questions cannot correct them: the
 * request is `validation_failed` for these inputs alone. The next request is asked for the missing ones.
 */
export async function checkInput(
  { schema, fields }: Pick<Operation, 'schema' | 'fields'>,
  collected: CollectedInput,
): Promise<InputCheck> {
  if (schema === undefined) return { ok: true, value: undefined }
  const result = await schema['~standard'].validate(collected)
  const issues = result.issues ?? []
  const missing = missingInputs({ fields, collected, issues })
  const wrong = issues.filter((issue) => !isAbout(issue, missing)).map(fieldError)
  // A union reports only that no branch matches. Missing required inputs explain that.
  const unexplained = wrong.every(({ field }) => field === ROOT)
  if (wrong.length > 0 && !(unexplained && missing.size > 0))
    return refuse(invalidRequest(wrong.slice(0, MAX_FAULTS)))
  const [first, ...others] = missing.values()
  if (first !== undefined) return refuse(clarificationFor([first, ...others]))
  return result.issues === undefined ? { ok: true, value: result.value } : refuse(invalidRequest(wrong))
}

const ROOT = 'body'

interface Judged {
  readonly fields: Operation['fields']
  readonly collected: CollectedInput
  readonly issues: readonly StandardSchemaV1.Issue[]
}

/** Required inputs that were not sent, including inputs required only in this combination. */
function missingInputs({ fields, collected, issues }: Judged): ReadonlyMap<string, RequiredInput> {
  const missed = new Set(
    issues
      .map(pathOf)
      .filter(({ length }) => length === 1)
      .map(([name]) => name),
  )
  return new Map(
    [...fields.values()]
      .filter(({ name }) => !Object.hasOwn(collected, name))
      .filter(({ name, required }) => required || missed.has(name))
      .map(({ name, request }) => [name, request]),
  )
}

function isAbout(issue: StandardSchemaV1.Issue, missing: ReadonlyMap<string, RequiredInput>): boolean {
  const [name] = pathOf(issue)
  return name !== undefined && missing.has(name)
}

function fieldError(issue: StandardSchemaV1.Issue): FieldError {
  const path = pathOf(issue)
  return {
    field: path.length === 0 ? ROOT : shorten(path.join('.')),
    message: shorten(issue.message),
  }
}

function pathOf({ path = [] }: StandardSchemaV1.Issue): string[] {
  return path.map((segment) => String(typeof segment === 'object' ? segment.key : segment))
}

function refuse(outcome: ClarificationRequired | ValidationFailed): InputCheck {
  return { ok: false, outcome }
}
