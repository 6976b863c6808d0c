import { type Answered, type Client, createClient } from '@agentic-rest/client'
import type { Person } from '../api/gateway-info.ts'
import { fieldsOf, textOf } from '../api/read-json.ts'

/** An approval (decision 13). */
export interface ApprovalView {
  readonly state: string
  readonly requester: string
  readonly role: string
  readonly approver: string
  readonly expiresAt: string
}

/** The address of an approval, and the token to use. */
export interface ApprovalAccess {
  readonly baseUrl: string
  readonly token: string
  /** The address in the answer. */
  readonly location: string
  readonly correlationId: string | undefined
}

/** Reads an approval; undefined if it is not visible to the caller. */
export async function viewApproval(access: ApprovalAccess): Promise<ApprovalView | undefined> {
  const outcome = await clientFor(access).request({ method: 'GET', path: pathOf(access) })
  return outcome.type === 'success' ? readView(outcome.body) : undefined
}

/** Approves or rejects with a token. */
export function decideApproval(access: ApprovalAccess, verb: 'approve' | 'reject'): Promise<Answered> {
  return clientFor(access).request({ method: 'POST', path: `${pathOf(access)}/${verb}`, body: {} })
}

/** The people who may decide: with the role, of the tenant, and not the requester. */
export function whoMayDecide(view: ApprovalView, people: readonly Person[]): Person[] {
  const tenant = people.find(({ sub }) => sub === view.requester)?.tenant
  return people.filter(
    ({ sub, roles, ...person }) =>
      sub !== view.requester &&
      (view.role === '' || roles.includes(view.role)) &&
      (tenant === undefined || person.tenant === tenant),
  )
}

function readView(body: unknown): ApprovalView {
  const fields = fieldsOf(body)
  return {
    state: textOf(fields, 'state') || textOf(fields, 'status'),
    requester: textOf(fields, 'requester'),
    role: textOf(fields, 'role'),
    approver: textOf(fieldsOf(fields.get('approver')), 'name'),
    expiresAt: textOf(fields, 'expiresAt'),
  }
}

function clientFor({ baseUrl, token, correlationId }: ApprovalAccess): Client {
  return createClient({ baseUrl, token: token || undefined, correlationId })
}

function pathOf({ baseUrl, location }: ApprovalAccess): string {
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '')
  const { pathname } = new URL(location, baseUrl)
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}
