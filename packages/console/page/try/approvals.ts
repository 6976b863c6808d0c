import { type Answered, type Client, createClient, type Fetch } from '@agentic-rest/client'
import {
  type Approval,
  decisionBody,
  isOpen,
  readApproval,
  whyNotDecide,
} from '@agentic-rest/profile/approval'
import type { Person } from '../api/bodies.ts'

/** The address of an approval, and the token to use. */
export interface ApprovalAccess {
  readonly baseUrl: string
  readonly token: string
  /** Sends as the person of the session, instead of a token. */
  readonly send?: Fetch | undefined
  /** The address in the answer. */
  readonly location: string
  readonly correlationId: string | undefined
}

/** A decision that is made elsewhere is seen within this time and one answer. */
const LOOK_MS = 1500

/** How an approval is watched. */
export interface Watching {
  readonly signal: AbortSignal
  onSeen(approval: Approval): void
}

/** Looks at an approval again and again until it is over; not at all if it is not visible to the caller. */
export async function watchApproval(access: ApprovalAccess, { signal, onSeen }: Watching): Promise<void> {
  const client = clientFor(access)
  const look = () => client.request({ method: 'GET', path: pathOf(access), signal })
  let outcome = await look()
  while (outcome.type === 'success') {
    const approval = readApproval(outcome.body)
    onSeen(approval)
    if (!isOpen(approval.state)) return
    await nextLook(signal)
    // A look that fails is made up for by the next one.
    outcome = await look().catch(() => outcome)
    signal.throwIfAborted()
  }
}

function nextLook(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, LOOK_MS)
    signal.addEventListener('abort', onAbort)
  })
}

/** Approves or rejects with a token, for the request that was shown. */
export function decideApproval(
  access: ApprovalAccess,
  verb: 'approve' | 'reject',
  approval: Approval,
): Promise<Answered> {
  const path = `${pathOf(access)}/${verb}`
  return clientFor(access).request({ method: 'POST', path, body: decisionBody(approval) })
}

/** The people who may decide: with the role, of the tenant, not the requester, and not who has decided. */
export function whoMayDecide(approval: Approval, people: readonly Person[]): Person[] {
  const tenant = people.find(({ sub }) => sub === approval.requester)?.tenant
  return people.filter(
    ({ sub, roles, ...person }) =>
      whyNotDecide(approval, { subject: sub }) === '' &&
      (approval.role === '' || roles.includes(approval.role)) &&
      (tenant === undefined || person.tenant === tenant),
  )
}

function clientFor({ baseUrl, token, send, correlationId }: ApprovalAccess): Client {
  return createClient({ baseUrl, token: token || undefined, fetch: send, correlationId })
}

function pathOf({ baseUrl, location }: ApprovalAccess): string {
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '')
  const { pathname } = new URL(location, baseUrl)
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}
