import { listOf, membersOf, textOf } from '../json-members.ts'

/** An approval as a service shows it. Services before version 0.2 show no request, digest, quorum and decisions. */
export interface Approval {
  readonly approvalId: string
  readonly state: string
  readonly operation: string
  readonly message: string
  readonly role: string
  readonly requester: string
  readonly requesterIssuer: string
  readonly requestedFor: string
  readonly requestedForIssuer: string
  /** The requester confirms its own request; nobody else decides. */
  readonly isConfirmation: boolean
  readonly request: KeptRequest | undefined
  readonly digest: string
  readonly quorum: number
  readonly decisions: readonly Decision[]
  readonly via: readonly string[]
  readonly createdAt: string
  readonly expiresAt: string
}

/** The request that would be sent. */
export interface KeptRequest {
  readonly line: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly truncated: boolean
}

/** One decision of an approval. */
export interface Decision {
  readonly decidedBy: string
  readonly decidedByIssuer: string
  readonly verdict: string
  readonly comment: string
  readonly decidedAt: string
}

/** Reads an approval; nothing if the value is none. */
export function readApproval(value: unknown): Approval | undefined {
  const fields = membersOf(value)
  const text = (name: string) => textOf(fields[name])
  if (text('approvalId') === '' || text('state') === '') return undefined
  const { quorum, decisions, via, request } = fields
  return {
    approvalId: text('approvalId'),
    state: text('state'),
    operation: text('operation'),
    message: text('message'),
    role: text('role'),
    requester: text('requester'),
    requesterIssuer: text('requesterIssuer'),
    requestedFor: text('requestedFor'),
    requestedForIssuer: text('requestedForIssuer'),
    isConfirmation: text('by') === 'requester',
    request: request === undefined || request === null ? undefined : readRequest(membersOf(request)),
    digest: text('digest'),
    quorum: typeof quorum === 'number' ? quorum : 1,
    decisions: listOf(decisions).map(readDecision),
    via: listOf(via).map(textOf),
    createdAt: text('createdAt'),
    expiresAt: text('expiresAt'),
  }
}

/** The approvals of a page and the cursor of the next one; nothing if the value is no page. */
export function readPage(
  value: unknown,
): { readonly approvals: readonly Approval[]; readonly next: string } | undefined {
  const { approvals, next } = membersOf(value)
  if (!Array.isArray(approvals)) return undefined
  const read = approvals.map(readApproval).filter((approval) => approval !== undefined)
  return { approvals: read, next: textOf(next) }
}

function readRequest({ method, path, inputs, truncated }: Readonly<Record<string, unknown>>): KeptRequest {
  const line = `${textOf(method)} ${textOf(path)}`.trim()
  return { line, inputs: membersOf(inputs), truncated: truncated === true }
}

function readDecision(value: unknown): Decision {
  const { decidedBy, decidedByIssuer, verdict, comment, decidedAt } = membersOf(value)
  return {
    decidedBy: textOf(decidedBy),
    decidedByIssuer: textOf(decidedByIssuer),
    verdict: textOf(verdict),
    comment: textOf(comment),
    decidedAt: textOf(decidedAt),
  }
}
