import fc from 'fast-check'
import {
  type Condition,
  conditions,
  inputLocations,
  inputTypes,
  isTrace,
  type NonEmpty,
  type Outcome,
  type OutcomeType,
  type RequiredInput,
  type Trace,
} from '../src/index.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 40 })

/** JSON values that survive a round trip: JSON has no negative zero. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)

/** Service bodies; a member `trace` that is a trace belongs to the profile, not to the service. */
const body = json.filter((value) => !isTrace((value as { trace?: unknown } | null)?.trace))

const requiredInput: fc.Arbitrary<RequiredInput> = fc.record(
  {
    name: text,
    location: fc.constantFrom(...inputLocations),
    type: fc.constantFrom(...inputTypes),
    required: fc.boolean(),
    question: text,
    allowedValues: fc.array(json, { maxLength: 4 }),
  },
  { requiredKeys: ['name', 'location', 'type', 'required', 'question'] },
)

const requiredInputs = fc.array(requiredInput, { minLength: 1, maxLength: 4 }) as unknown as fc.Arbitrary<
  NonEmpty<RequiredInput>
>

const coded = { code: text, message: text }

const plainConditions = (Object.keys(conditions) as Condition[]).filter((name) => name !== 'limit_exceeded')

/** Outcomes of every type; a forgotten one does not compile. */
export const outcomeArbitraries = {
  success: fc.record({ type: fc.constant('success'), body }),
  created: fc.record({ type: fc.constant('created'), body }),
  accepted: fc.record(
    { type: fc.constant('accepted'), operationId: text, statusUrl: text, code: text, message: text },
    { requiredKeys: ['type', 'operationId', 'statusUrl'] },
  ),
  clarification_required: fc.record({
    type: fc.constant('clarification_required'),
    message: text,
    requiredInputs,
  }),
  validation_failed: fc.record({
    type: fc.constant('validation_failed'),
    message: text,
    errors: fc.array(fc.record({ field: text, message: text }), { maxLength: 4 }),
  }),
  approval_required: fc.record(
    {
      type: fc.constant('approval_required'),
      message: text,
      approvalToken: text,
      approver: fc.record({ name: text }),
    },
    { requiredKeys: ['type', 'message', 'approvalToken'] },
  ),
  forbidden: fc.record({ type: fc.constant('forbidden'), ...coded }),
  conflict: fc.record(
    { type: fc.constant('conflict'), ...coded, conflictingResourceId: text },
    { requiredKeys: ['type', 'code', 'message'] },
  ),
  failed_dependency: fc.record({ type: fc.constant('failed_dependency'), ...coded }),
  error: fc.oneof(
    fc.record({ type: fc.constant('error'), ...coded }),
    fc.record({ type: fc.constant('error'), ...coded, condition: fc.constantFrom(...plainConditions) }),
    fc.record({
      type: fc.constant('error'),
      ...coded,
      condition: fc.constant('limit_exceeded'),
      retryAfter: fc.nat(),
    }),
  ),
} satisfies { [Type in OutcomeType]: fc.Arbitrary<Extract<Outcome, { type: Type }>> }

/** Trace ids that a request may carry. */
export const traces: fc.Arbitrary<Trace> = fc.record({
  correlationId: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 256 }),
  requestId: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 256 }),
})
