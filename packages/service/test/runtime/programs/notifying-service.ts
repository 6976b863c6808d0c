/** Requests and decides an approval, or only sends the notifications of its predecessor. */
import { createService, createStore, defineOperation, success } from '../../../src/index.ts'
import type { StoreOptions } from '../../../src/runtime/store.ts'
import { readSettings, tell } from './settings.ts'

interface Settings {
  readonly store: StoreOptions
  readonly url: string
  readonly secretFile: string
  readonly asks: boolean
  readonly secondsAhead: number
}

const { store: place, url, secretFile, asks, secondsAhead } = readSettings<Settings>()
const store = createStore(place)
const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/pay',
  approval: { role: 'finance', when: () => ({ message: 'Pay?', approver: { name: 'Finance' } }) },
  run: () => success({}),
})
const service = createService({
  operations: [pay],
  store,
  runtime: {
    now: () => new Date(Date.now() + secondsAhead * 1000),
    approvals: {
      publicUrl: 'https://gateway.example',
      notify: [{ url, secretFile, events: ['approval.decided'] }],
    },
  },
})
const send = (path: string, subject: string) =>
  service.fetch(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'X-Tenant-ID': 'acme', 'X-Actor-Subject': subject, 'X-Actor-Roles': 'finance' },
    }),
  )
if (asks) {
  const gate = await send('/pay', 'alice')
  const decided = await send(`${gate.headers.get('location')}/approve`, 'bob')
  tell(`decided ${decided.status}`)
}
setInterval(async () => {
  const waiting = await store.query('SELECT 1 FROM agentic_approval_outbox')
  if (waiting.length === 0) tell('sent')
}, 50)
