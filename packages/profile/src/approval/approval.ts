import {
  about,
  anyObject,
  count,
  listOf,
  mark,
  object,
  oneOf,
  orNull,
  type Read,
  text,
  time,
  type Written,
} from '../typed-schema.ts'

/** The states of an approval; all but the first two are final. */
export const approvalStates = ['pending', 'approved', 'rejected', 'used', 'expired', 'withdrawn'] as const

/** A state of an approval. */
export type ApprovalState = (typeof approvalStates)[number]

const decision = object(
  {
    decidedBy: text,
    decidedByIssuer: text,
    verdict: oneOf('approved', 'rejected'),
    comment: text,
    // Absent for decisions made by an older version.
    decidedAt: time,
  },
  ['decidedByIssuer', 'comment', 'decidedAt'],
)

const requestMembers = {
  method: text,
  path: text,
  inputs: about('The inputs by place: path, query, header, body.', anyObject),
  truncated: about('Values were left out because of their size.', mark),
}

// Readers take a request without `inputs` for one that has none: the line alone says what is decided.
const request = {
  ...object(requestMembers, ['truncated']),
  is: object(requestMembers, ['inputs', 'truncated']).is,
}

const approval = object(
  {
    approvalId: text,
    state: oneOf(...approvalStates),
    operation: text,
    message: text,
    approver: object({ name: text }),
    role: about('The role that decides; empty if the requester confirms.', text),
    by: about('Set if the requester, or the person behind it, confirms.', oneOf('requester')),
    requester: text,
    requesterIssuer: text,
    requestedFor: about('The person on whose behalf the requester, an agent, asked.', text),
    requestedForIssuer: text,
    request: about('The request without its secrets; null if an older version kept none.', orNull(request)),
    digest: text,
    quorum: count,
    decisions: listOf(decision),
    via: about('The calls that led to the requester, the first one first.', listOf(text)),
    correlationId: text,
    createdAt: time,
    expiresAt: time,
    decidedBy: about('The decider whose decision was the last one needed.', text),
    decidedByIssuer: text,
    decidedAt: time,
  },
  [
    ...([
      'approver',
      'by',
      'requesterIssuer',
      'requestedFor',
      'requestedForIssuer',
      'correlationId',
    ] as const),
    ...(['decidedBy', 'decidedByIssuer', 'decidedAt'] as const),
  ],
)

const page = object(
  {
    approvals: listOf(approval),
    next: about('The cursor of the next page; absent on the last one.', text),
  },
  ['next'],
)

/** The JSON Schema of an approval. */
export const approvalSchema = approval.schema

/** The JSON Schema of a page of approvals. */
export const approvalPageSchema = page.schema

/** An approval as a service writes it. It never contains an approval token. */
export type WrittenApproval = Written<typeof approval>

/** One decision as a service writes it. */
export type WrittenDecision = Written<typeof decision>

/** A request as a service shows it to those who decide. Values marked as secret are `***`. */
export type KeptRequest = Written<typeof request>

/** An approval as its readers have it: absent members are empty, because older services show fewer. */
export type Approval = Read<typeof approval>

/** One decision as its readers have it. */
export type ApprovalDecision = Read<typeof decision>

/** The request of an approval as its readers have it. */
export type ApprovalRequest = Read<typeof request>

/** A page of a service's list. */
export interface ApprovalPage {
  readonly approvals: readonly Approval[]
  /** The cursor of the next page; absent on the last one. */
  readonly next: string | undefined
}

/** Reads an approval. Absent members are empty, unknown ones are left out. */
export const readApproval: (body: unknown) => Approval = approval.read

/** Whether an answer was an approval: it has an id and a state. */
export function isApproval({ approvalId, state }: Approval): boolean {
  return approvalId !== '' && state !== ''
}

/** Reads a page without the entries that are no approvals; `undefined` for a value that is no page. */
export function readApprovalPage(body: unknown): ApprovalPage | undefined {
  if (!Array.isArray(Object(body).approvals)) return undefined
  const { approvals, next } = page.read(body)
  return { approvals: approvals.filter(isApproval), next: next || undefined }
}
