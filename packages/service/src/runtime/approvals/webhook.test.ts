import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import type { Receiver } from './notify-options.ts'
import { type Notification, slackMessage, webhookRequest } from './webhook.ts'

const key = randomBytes(32)
const receiver: Receiver = {
  target: 't',
  url: 'https://x.example',
  key,
  format: 'standard',
  events: new Set(),
}
const notification: Notification = {
  type: 'approval.requested',
  timestamp: '2030-01-01T00:00:00.000Z',
  data: {
    approvalId: 'a-1',
    tenantId: 'acme',
    operation: 'pay',
    message: 'Pay <!channel> & ü?',
    role: 'finance',
    requester: 'agent',
    requestedFor: 'alice',
    digest: 'd',
    expiresAt: '2030-01-02T00:00:00.000Z',
    url: 'https://gateway.example/approvals/a-1',
    state: 'pending',
  },
}
const message = { messageId: 'msg_1', body: JSON.stringify(notification) }

it('the reference library verifies the signature, and refuses a changed byte', () => {
  const verifier = new Webhook(`whsec_${key.toString('base64')}`)
  const { headers, body } = webhookRequest(receiver, message, new Date())
  expect(verifier.verify(body, headers)).toEqual(notification)
  expect(() => verifier.verify(body.replace('Pay', 'Ray'), headers)).toThrow()
  expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow()
})

it('attempts have the same id and body, and the time of the attempt', () => {
  const [first, second] = [1_000, 9_000].map((ms) => webhookRequest(receiver, message, new Date(ms)))
  expect(first?.body).toBe(second?.body)
  expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id'])
  expect([first, second].map((sent) => sent?.headers['webhook-timestamp'])).toEqual(['1', '9'])
})

it('a message for Slack has one link, no decision and no markup of inputs', () => {
  expect(slackMessage(notification)).toEqual({
    text: 'An approval is requested: Pay &lt;!channel&gt; &amp; ü?',
    blocks: [
      {
        type: 'section',
        text: { type: 'plain_text', text: 'An approval is requested: Pay <!channel> & ü?', emoji: false },
      },
      {
        type: 'context',
        elements: [
          {
            type: 'plain_text',
            text: 'pay · agent for alice · finance · until 2030-01-02T00:00:00.000Z',
            emoji: false,
          },
        ],
      },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            text: { type: 'plain_text', text: 'Open', emoji: false },
            url: 'https://gateway.example/approvals/a-1',
          },
        ],
      },
    ],
  })
  const { headers, body } = webhookRequest(
    { ...receiver, key: undefined, format: 'slack' },
    message,
    new Date(),
  )
  expect([headers['webhook-signature'], JSON.parse(body)]).toEqual([undefined, slackMessage(notification)])
})
