import { type ApprovalState, approvalStates, MAX_COMMENT } from '@agentic-rest/profile/approval'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from './input/json-schema.ts'
import { CURSOR } from './runtime/approvals/list.ts'

const MAX_PAGE = 100
/** The number of approvals on a page by default. */
export const PAGE = 20

interface Member {
  readonly json: JsonSchema
  /** Returns the fault of a value. */
  fault(value: unknown): string | undefined
}

/** The schema of a closed object with optional members, and its JSON Schema. */
interface ClosedObject<Output> {
  readonly input: StandardSchemaV1<unknown, Output>
  readonly inputJsonSchema: JsonSchema
}

function closedObject<Output>(members: Readonly<Record<string, Member>>): ClosedObject<Output> {
  const names = Object.keys(members)
  const faultOf = ([name, value]: [string, unknown]): StandardSchemaV1.Issue[] => {
    const known = Object.hasOwn(members, name) ? members[name] : undefined
    const message =
      known === undefined ? `is not one of the inputs: ${names.join(', ') || 'none'}` : known.fault(value)
    return message === undefined ? [] : [{ message, path: [name] }]
  }
  return {
    input: {
      '~standard': {
        version: 1,
        vendor: 'agentic-rest',
        validate(value) {
          const issues = Object.entries(value as object).flatMap(faultOf)
          return issues.length > 0 ? { issues } : { value: value as Output }
        },
      },
    },
    inputJsonSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(members).map(([name, { json }]) => [name, json])),
      additionalProperties: false,
    },
  }
}

/** A text without U+0000, which PostgreSQL cannot store. */
function text(maxLength: number, description: string): Member {
  return {
    json: { type: 'string', maxLength, description },
    fault(value) {
      if (typeof value !== 'string') return 'has to be a text'
      // A character has one or two code units.
      if (value.length > maxLength && (value.length > 2 * maxLength || [...value].length > maxLength))
        return `has to have at most ${maxLength} characters`
      return value.includes('\0') || !value.isWellFormed()
        ? 'contains a character that is no text'
        : undefined
    },
  }
}

/** The inputs of the list. */
export interface ListInput {
  readonly state?: ApprovalState
  readonly cursor?: string
  readonly limit?: number
}

/** The schema of the list's inputs. */
export const listInput = closedObject<ListInput>({
  state: {
    json: { type: 'string', enum: approvalStates, description: 'Only approvals in this state.' },
    fault: (value) =>
      (approvalStates as readonly unknown[]).includes(value)
        ? undefined
        : `has to be one of ${approvalStates.join(', ')}`,
  },
  cursor: {
    json: { type: 'string', pattern: CURSOR, description: 'The `next` of the page before.' },
    fault: (value) =>
      typeof value === 'string' && new RegExp(CURSOR).test(value) ? undefined : 'is not the next of a page',
  },
  limit: {
    json: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PAGE,
      description: `The number of approvals on a page; ${PAGE} by default.`,
    },
    fault: (value) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PAGE
        ? undefined
        : `has to be a whole number from 1 to ${MAX_PAGE}`,
  },
})

/** The inputs of a decision. */
export interface DecisionInput {
  readonly digest?: string
  readonly comment?: string
}

/** The schema of a decision's inputs. */
export const decisionInput = closedObject<DecisionInput>({
  digest: text(128, 'The `digest` of the approval that the decider has seen; another one is refused.'),
  comment: text(MAX_COMMENT, 'The reason for the decision. Plain text: those who show it escape it.'),
})

/** The schema of an operation without inputs, whose body has to be empty. */
export const noInput = closedObject<Readonly<Record<string, never>>>({})
