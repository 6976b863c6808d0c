import { type Approval, describeNeeded, requestLine } from '@agentic-rest/profile/approval'
import { definitions, distanceText, element, timeText, valueTree } from './elements.ts'

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
      ['Needed', describeNeeded(approval)],
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

function decisions(approval: Approval): HTMLElement[] {
  if (approval.decisions.length === 0) return []
  const rows = approval.decisions.map(({ decidedBy, decidedByIssuer, verdict, comment, decidedAt }) =>
    element('li', {}, [
      element('strong', {}, [person(decidedBy, decidedByIssuer)]),
      ` ${verdict} `,
      ...(decidedAt === '' ? [] : [timeText(decidedAt)]),
      ...(comment === '' ? [] : [element('p', { class: 'comment' }, [comment])]),
    ]),
  )
  return [element('h2', {}, ['Decisions']), element('ul', { class: 'decisions' }, rows)]
}

const CUT = 'Some values are too large to be shown. The decision is about them too.'

/** The request that would be sent. The digest binds the decision to it. */
function inputs({ request, digest }: Approval): HTMLElement[] {
  const line = requestLine(request)
  if (request === null || line === '')
    return [element('p', { class: 'cut' }, ['The service does not show the request.'])]
  return [
    element('h2', {}, ['Request']),
    element('p', { class: 'line' }, [line]),
    ...(request.truncated ? [element('p', { class: 'cut' }, [CUT])] : []),
    // A reader without a mouse scrolls it with the arrow keys.
    element('div', { class: 'inputs', tabindex: '0', role: 'group', 'aria-label': 'Inputs' }, [
      valueTree(request.inputs),
    ]),
    ...(digest === '' ? [] : [element('p', { class: 'digest' }, [`Digest ${digest}`])]),
  ]
}
