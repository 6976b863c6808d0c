import { fieldsOf, isTrue, listOf, numberOf, textOf, textsOf } from '../api/read-json.ts'

/** The decision of one person. */
export interface Decision {
  readonly decidedBy: string
  readonly decidedByIssuer: string
  readonly verdict: string
  readonly comment: string
  readonly decidedAt: string
}

/** The request that is approved, without its secrets. */
export interface AskedRequest {
  readonly method: string
  readonly path: string
  /** The inputs by place: path, query, header, body; without empty places. */
  readonly inputs: readonly (readonly [place: string, value: unknown])[]
  readonly isTruncated: boolean
}

/** An approval as a service lists it. It never contains an approval token. */
export interface Approval {
  readonly approvalId: string
  readonly state: string
  readonly operation: string
  readonly message: string
  readonly role: string
  /** The requester confirms its own request; nobody else decides. */
  readonly isConfirmation: boolean
  readonly requester: string
  readonly requesterIssuer: string
  readonly requestedFor: string
  readonly requestedForIssuer: string
  /** Absent for approvals of an older service. */
  readonly request: AskedRequest | undefined
  readonly digest: string
  readonly quorum: number
  readonly decisions: readonly Decision[]
  readonly via: readonly string[]
  readonly correlationId: string
  readonly createdAt: string
  readonly expiresAt: string
}

/** One page of a service's list. */
export interface ApprovalPage {
  readonly approvals: readonly Approval[]
  /** The cursor of the next page; absent on the last one. */
  readonly next: string | undefined
}

/** Reads a page; entries without an id are left out. */
export function readPage(value: unknown): ApprovalPage {
  const fields = fieldsOf(value)
  return {
    approvals: listOf(fields, 'approvals', readApproval).filter(({ approvalId }) => approvalId !== ''),
    next: textOf(fields, 'next') || undefined,
  }
}

/** Reads an approval. Absent members are empty, unknown ones are dropped. */
export function readApproval(value: unknown): Approval {
  const fields = fieldsOf(value)
  const text = (name: string) => textOf(fields, name)
  return {
    approvalId: text('approvalId'),
    state: text('state'),
    operation: text('operation'),
    message: text('message'),
    role: text('role'),
    isConfirmation: text('by') === 'requester',
    requester: text('requester'),
    requesterIssuer: text('requesterIssuer'),
    requestedFor: text('requestedFor'),
    requestedForIssuer: text('requestedForIssuer'),
    request: readRequest(fields.get('request')),
    digest: text('digest'),
    quorum: Math.max(1, numberOf(fields, 'quorum')),
    decisions: listOf(fields, 'decisions', readDecision),
    via: textsOf(fields, 'via'),
    correlationId: text('correlationId'),
    createdAt: text('createdAt'),
    expiresAt: text('expiresAt'),
  }
}

function readRequest(value: unknown): AskedRequest | undefined {
  const fields = fieldsOf(value)
  if (fields.size === 0) return undefined
  return {
    method: textOf(fields, 'method'),
    path: textOf(fields, 'path'),
    inputs: [...fieldsOf(fields.get('inputs'))].filter(([, given]) => !isEmpty(given)).toSorted(byPlace),
    isTruncated: isTrue(fields, 'truncated'),
  }
}

const places = ['path', 'query', 'header', 'body']

function byPlace([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return places.indexOf(left) - places.indexOf(right)
}

function isEmpty(given: unknown): boolean {
  if (given === null || given === undefined) return true
  return typeof given === 'object' && !Array.isArray(given) && Object.keys(given).length === 0
}

function readDecision(value: unknown): Decision {
  const fields = fieldsOf(value)
  return {
    decidedBy: textOf(fields, 'decidedBy'),
    decidedByIssuer: textOf(fields, 'decidedByIssuer'),
    verdict: textOf(fields, 'verdict'),
    comment: textOf(fields, 'comment'),
    decidedAt: textOf(fields, 'decidedAt'),
  }
}
