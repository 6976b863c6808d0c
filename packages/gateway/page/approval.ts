import { definitions, distanceText, element, timeText, valueTree } from './elements.ts'

/** An approval as a service shows it. Services before version 0.2 show no request, digest, quorum and decisions. */
export interface Approval {
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
  readonly request: Readonly<Record<string, unknown>>
  readonly digest: string
  readonly quorum: number
  readonly decisions: readonly Readonly<Record<string, unknown>>[]
  readonly via: readonly string[]
  readonly createdAt: string
  readonly expiresAt: string
}

/** Reads the body of an answer. Absent members are empty. */
export function readApproval(body: unknown): Approval {
  const fields = mapOf(body)
  const text = (name: string) => textOf(fields[name])
  const { quorum } = fields
  return {
    state: text('state'),
    operation: text('operation'),
    message: text('message'),
    role: text('role'),
    requester: text('requester'),
    requesterIssuer: text('requesterIssuer'),
    requestedFor: text('requestedFor'),
    requestedForIssuer: text('requestedForIssuer'),
    isConfirmation: text('by') === 'requester',
    request: mapOf(fields['request']),
    digest: text('digest'),
    quorum: typeof quorum === 'number' ? quorum : 1,
    decisions: listOf(fields['decisions']).map(mapOf),
    via: listOf(fields['via']).map(textOf),
    createdAt: text('createdAt'),
    expiresAt: text('expiresAt'),
  }
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Everything about an approval that a decision depends on. */
export function describe(approval: Approval): readonly HTMLElement[] {
  const { operation, requester, requestedFor, via, createdAt, expiresAt } = approval
  return [
    element('p', { class: 'message' }, [approval.message]),
    definitions([
      ['Operation', operation],
      ['Asked by', person(requester, approval.requesterIssuer)],
      requestedFor === '' ? undefined : ['On behalf of', person(requestedFor, approval.requestedForIssuer)],
      via.length === 0 ? undefined : ['Way', way(approval)],
      createdAt === '' ? undefined : ['Asked', timeText(createdAt)],
      expiresAt === '' ? undefined : ['Expires', expiry(approval)],
      ['Needed', needed(approval)],
    ]),
    ...decisions(approval),
    ...inputs(approval),
  ]
}

/** A name is unique only at its issuer. */
function person(subject: string, issuer: string): HTMLElement {
  const at = issuer === '' ? [] : [element('span', { class: 'issuer' }, [` at ${issuer}`])]
  return element('span', {}, [element('span', {}, [subject]), ...at])
}

/** The calls from the first caller to the operation. */
function way({ via, requester, operation }: Approval): HTMLElement {
  const calls = [...via, `${requester} called ${operation}`]
  const hops = calls.map((call) => element('li', {}, [call]))
  return element('ol', { class: 'way' }, hops)
}

function expiry({ expiresAt, state }: Approval): HTMLElement {
  const distance = state === 'pending' ? ` (${distanceText(expiresAt)})` : ''
  return element('span', {}, [timeText(expiresAt), distance])
}

function needed({ quorum, role, decisions, isConfirmation }: Approval): string {
  if (isConfirmation) return 'A confirmation by the person who asked'
  const approved = decisions.filter(({ verdict }) => verdict === 'approved').length
  const who = role === '' ? '' : ` with the role ${role}`
  if (quorum === 1) return `One approval by somebody else${who}`
  return `${approved} of ${quorum} approvals by different people${who}`
}

function decisions(approval: Approval): HTMLElement[] {
  if (approval.decisions.length === 0) return []
  const rows = approval.decisions.map(({ decidedBy, decidedByIssuer, verdict, comment, decidedAt }) =>
    element('li', {}, [
      element('strong', {}, [person(textOf(decidedBy), textOf(decidedByIssuer))]),
      ` ${textOf(verdict)} `,
      ...(textOf(decidedAt) === '' ? [] : [timeText(textOf(decidedAt))]),
      ...(textOf(comment) === '' ? [] : [element('p', { class: 'comment' }, [textOf(comment)])]),
    ]),
  )
  return [element('h2', {}, ['Decisions']), element('ul', { class: 'decisions' }, rows)]
}

const CUT = 'Some values are too large to be shown. The decision is about them too.'

/** The request that would be sent. The digest binds the decision to it. */
function inputs({ request, digest }: Approval): HTMLElement[] {
  const { method, path, inputs: given, truncated } = request
  const line = [textOf(method), textOf(path)].filter((part) => part !== '').join(' ')
  if (line === '') return [element('p', { class: 'cut' }, ['The service does not show the request.'])]
  return [
    element('h2', {}, ['Request']),
    element('p', { class: 'line' }, [line]),
    ...(truncated === true ? [element('p', { class: 'cut' }, [CUT])] : []),
    // A reader without a mouse scrolls it with the arrow keys.
    element('div', { class: 'inputs', tabindex: '0', role: 'group', 'aria-label': 'Inputs' }, [
      valueTree(mapOf(given)),
    ]),
    ...(digest === '' ? [] : [element('p', { class: 'digest' }, [`Digest ${digest}`])]),
  ]
}
