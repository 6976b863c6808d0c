import { createHmac } from 'node:crypto'
import { headers, parseOwnJson } from '@agentic-rest/profile'
import type { ApprovalEvent, Receiver } from './notify-options.ts'
import { type ApprovalRow, shownDigest } from './row.ts'

/** The body of a notification. It never contains a token. */
export interface Notification {
  readonly type: ApprovalEvent
  readonly timestamp: string
  readonly data: {
    readonly approvalId: string
    readonly tenantId: string
    readonly operation: string
    readonly message: string
    readonly role: string
    readonly requester: string
    readonly requestedFor?: string
    readonly digest: string
    readonly expiresAt: string
    /** The page of the approval. */
    readonly url: string
    readonly state: string
    readonly decidedBy?: string
  }
}

/** A row that changed, and the address of the approvals. */
interface Change {
  readonly row: ApprovalRow
  readonly at: Date
  readonly approvalsUrl: string
}

/** Makes the body of a notification. */
export function notificationOf(type: ApprovalEvent, { row, at, approvalsUrl }: Change): Notification {
  return {
    type,
    timestamp: at.toISOString(),
    data: {
      approvalId: row.approval_id,
      tenantId: row.tenant_id,
      operation: row.operation,
      message: row.message,
      role: row.role,
      requester: row.requester,
      ...(row.requested_for !== null && { requestedFor: row.requested_for }),
      digest: shownDigest(row),
      expiresAt: row.expires_at.toISOString(),
      url: `${approvalsUrl}/${encodeURIComponent(row.approval_id)}`,
      state: row.state === 'redeemed' ? 'used' : row.state,
      ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    },
  }
}

/** The request of one attempt. The id stays the same in all attempts, the time does not (Standard Webhooks). */
export function webhookRequest(
  { key, format }: Receiver,
  { messageId, body }: { readonly messageId: string; readonly body: string },
  now: Date,
): { readonly headers: Record<string, string>; readonly body: string } {
  const sent = format === 'slack' ? JSON.stringify(slackMessage(parseOwnJson(body) as Notification)) : body
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return {
    body: sent,
    headers: {
      [headers.contentType]: 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      ...(key !== undefined && { 'webhook-signature': sign(key, `${messageId}.${timestamp}.${sent}`) }),
    },
  }
}

function sign(key: Buffer, content: string): string {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

const titles: Readonly<Record<ApprovalEvent, string>> = {
  'approval.requested': 'An approval is requested',
  'approval.decided': 'An approval is decided',
  'approval.expired': 'An approval has expired',
}

// Slack refuses longer texts.
const MAX_SECTION = 2900
const MAX_CONTEXT = 1900

/** A message with one link and no decision: a chat does not prove who clicked. Plain text, so that no input becomes markup. */
export function slackMessage({ type, data }: Notification): object {
  const title = type === 'approval.decided' ? `An approval is ${data.state}` : titles[type]
  const who = data.requestedFor === undefined ? data.requester : `${data.requester} for ${data.requestedFor}`
  const plain = (text: string, limit: number) => ({
    type: 'plain_text',
    text: text.slice(0, limit),
    emoji: false,
  })
  return {
    text: escapeSlack(`${title}: ${data.message}`.slice(0, MAX_SECTION)),
    blocks: [
      { type: 'section', text: plain(`${title}: ${data.message}`, MAX_SECTION) },
      {
        type: 'context',
        elements: [plain(`${data.operation} · ${who} · ${data.role} · until ${data.expiresAt}`, MAX_CONTEXT)],
      },
      { type: 'actions', elements: [{ type: 'button', text: plain('Open', 75), url: data.url }] },
    ],
  }
}

/** The three characters of Slack's markup: without them a text cannot mention anybody. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
