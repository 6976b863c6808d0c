import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ApprovalNotify, createService, defineOperation, success } from '../src/index.ts'
import { createApprovals } from '../src/runtime/approvals/approvals.ts'
import { pauseAfter } from '../src/runtime/approvals/notifier.ts'
import { readReceivers } from '../src/runtime/approvals/notify-options.ts'
import { ask } from './harness/ask.ts'
import { startOutbox } from './harness/start-outbox.ts'
import { startProgram } from './runtime/harness/run-program.ts'

const store = sharedStore()
const folder = mkdtempSync(join(tmpdir(), 'agentic-notify-'))
afterAll(() => rmSync(folder, { recursive: true }))
const secret = `whsec_${randomBytes(32).toString('base64')}`
const secretFile = join(folder, 'secret')
writeFileSync(secretFile, `${secret}\n`)
const publicUrl = 'https://gateway.example/'

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/pay',
  approval: { role: 'finance', when: () => ({ message: 'Pay?', approver: { name: 'Finance' } }) },
  run: () => success({ paid: true }),
})

/** Every received signature is checked by the reference library. */
const verified = ({ body, headers }: ReceivedRequest) =>
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>) as Record<string, unknown>
const answer = (status: number) => (_request: ReceivedRequest, response: ServerResponse) =>
  void response.writeHead(status, { location: 'http://127.0.0.1:9/inner' }).end()

it('a request and its decision are notified, signed and without a token', async () => {
  const receiver = await startUpstream(answer(204))
  const notify: ApprovalNotify[] = [
    { url: receiver.url, secretFile },
    { url: `${receiver.url}/slack`, format: 'slack', events: ['approval.requested'] },
  ]
  const { url, log } = await startService({
    operations: [pay],
    store,
    runtime: { approvals: { publicUrl, notify } },
  })
  const gate = await ask(`${url}/pay`, { method: 'POST' })
  const location = gate.headers.get('location') ?? ''
  const token = JSON.parse(gate.text).approvalToken as string
  expect((await ask(`${url}/pay`, { method: 'POST' })).status).toBe(412)
  const bob = { 'x-actor-subject': 'bob', 'x-actor-roles': 'finance' }
  const { digest } = JSON.parse((await ask(url + location, { headers: bob })).text)
  expect((await ask(`${url}${location}/approve`, { method: 'POST', headers: bob })).status).toBe(200)
  await expect.poll(() => receiver.requests.length).toBe(3)
  const [slack] = receiver.requests.filter((request) => request.url === '/slack')
  expect(JSON.parse(slack?.body.toString() ?? '')).toMatchObject({ text: 'An approval is requested: Pay?' })
  const data = {
    approvalId: location.slice('/approvals/'.length),
    tenantId: 'acme',
    operation: 'pay',
    message: 'Pay?',
    role: 'finance',
    requester: 'alice',
    digest,
    expiresAt: expect.any(String),
    url: `https://gateway.example${location}`,
  }
  const bodies = receiver.requests.filter((request) => request !== slack).map(verified)
  expect(bodies.toSorted((one, other) => String(other['type']).localeCompare(String(one['type'])))).toEqual([
    { type: 'approval.requested', timestamp: expect.any(String), data: { ...data, state: 'pending' } },
    {
      type: 'approval.decided',
      timestamp: expect.any(String),
      data: { ...data, state: 'approved', decidedBy: 'bob' },
    },
  ])
  for (const { body, headers } of receiver.requests)
    expect(body + JSON.stringify(headers)).not.toContain(token)
  await expect.poll(() => store.query('SELECT 1 FROM agentic_approval_outbox')).toEqual([])
  expect(JSON.stringify(log)).not.toContain(receiver.url)
})

it.each([
  ['is down', 503],
  ['redirects to an inner address', 302],
])('a receiver that %s gets the same id again, after 5 s and growing pauses', async (_what, status) => {
  let current = status
  const receiver = await startUpstream((request, response) => answer(current)(request, response))
  const { clock, request, startNotifier, waiting } = await startOutbox(store, {
    secretFile,
    urls: [receiver.url],
  })
  await request()
  startNotifier()
  for (const [index, pause] of [5, 20, 80, 320].entries()) {
    await expect.poll(waiting).toEqual([`attempt ${index + 1}, again in ${pause} s`])
    expect(receiver.requests).toHaveLength(index + 1)
    clock.forward(pause)
  }
  current = 200
  await expect.poll(waiting).toEqual([])
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  for (const seen of receiver.requests) verified(seen)
})

it('pauses grow to four hours, and the attempts end after a day', async () => {
  expect([1, 2, 3, 7, 8, 50].map(pauseAfter)).toEqual([5, 20, 80, 14_400, 14_400, 14_400])
  const receiver = await startUpstream(answer(500))
  const { clock, request, startNotifier, waiting, lines } = await startOutbox(store, {
    secretFile,
    urls: [receiver.url],
  })
  await request()
  clock.forward(24 * 60 * 60)
  startNotifier()
  await expect.poll(waiting).toEqual([])
  expect(receiver.requests).toHaveLength(1)
  expect(lines).toMatchObject([{ level: 'error', fields: { attempts: 1, result: 'status 500' } }])
})

it('410 ends a message; a slow receiver is a failure', async () => {
  const gone = await startUpstream(answer(410))
  const first = await startOutbox(store, { secretFile, urls: [gone.url] })
  await first.request()
  first.startNotifier()
  await expect.poll(first.waiting).toEqual([])
  expect(gone.requests).toHaveLength(1)
  const slow = await startUpstream(() => undefined)
  const second = await startOutbox(store, { secretFile, urls: [slow.url] })
  await second.request()
  second.startNotifier(200)
  await expect.poll(() => second.lines.map(({ fields }) => fields['result'])).toEqual(['timeout'])
})

it('a receiver that never answers does not delay the others', async () => {
  const [silent, quick] = [await startUpstream(() => undefined), await startUpstream(answer(200))]
  const { request, startNotifier } = await startOutbox(store, { secretFile, urls: [silent.url, quick.url] })
  for (let count = 0; count < 20; count += 1) await request()
  startNotifier()
  await expect.poll(() => quick.requests.length).toBe(20)
  expect(silent.requests.length).toBeLessThanOrEqual(8)
})

it('messages for a receiver that is no longer configured are removed after two days', async () => {
  const former = await startUpstream(answer(200))
  const { clock, request, waiting } = await startOutbox(store, { secretFile, urls: [former.url] })
  await request()
  clock.forward(2 * 24 * 60 * 60)
  await createApprovals(store, clock).request(
    { tenantId: 'acme', operation: 'pay', requester: 'alice' },
    'digest',
    { message: 'Pay?', approver: { name: 'Finance' }, role: 'finance' },
  )
  await expect.poll(waiting).toEqual([])
})

it('wrong options are refused at the start, by name and without a secret', () => {
  const start =
    (notify: ApprovalNotify, more: object = { publicUrl }) =>
    () =>
      createService({ operations: [pay], store, runtime: { approvals: { ...more, notify: [notify] } } })
  const url = 'https://hooks.example/secret'
  const short = join(folder, 'short')
  writeFileSync(short, 'whsec_c2hvcnQ=')
  expect(start({ url, secretFile }, {})).toThrow('runtime.approvals.notify needs runtime.approvals.publicUrl')
  expect(start({ url })).toThrow('runtime.approvals.notify[0].secretFile is needed to sign notifications')
  expect(start({ url: 'https://me:pass@hooks.example', secretFile })).toThrow(
    'notify[0].url must not contain a user or a password',
  )
  expect(() =>
    readReceivers({
      publicUrl,
      notify: [
        { url, secretFile },
        { url, format: 'slack' },
      ],
    }),
  ).toThrow('runtime.approvals.notify[1].url is that of another receiver')
  expect(start({ url: 'ftp://x', secretFile })).toThrow('notify[0].url has to be an http or https URL')
  expect(start({ url, secretFile: join(folder, 'none') })).toThrow('notify[0].secretFile cannot be read')
  expect(start({ url, secretFile: short })).toThrow(
    'notify[0].secretFile has to contain whsec_ and 24 to 64 bytes',
  )
  expect(start({ url, secretFile, format: 'teams' as 'slack' })).toThrow('notify[0].format has to be')
  expect(start({ url, secretFile, events: ['x' as 'approval.decided'] })).toThrow(
    'notify[0].events has to be',
  )
})

it('an approval that nobody decides is notified as expired, once', async () => {
  const receiver = await startUpstream(answer(200))
  let now = Date.now()
  const notify = [{ url: receiver.url, secretFile, events: ['approval.expired'] as const }]
  const options = { now: () => new Date(now), approvals: { publicUrl, notify, expirySeconds: 60 } }
  const first = await startService({ operations: [pay], store, runtime: options })
  await ask(`${first.url}/pay`, { method: 'POST' })
  await first.service.close()
  now += 60_000
  for (let start = 0; start < 2; start += 1)
    await startService({ operations: [pay], store, runtime: options })
  await expect
    .poll(() => receiver.requests.map(verified))
    .toMatchObject([{ type: 'approval.expired', data: { state: 'expired' } }])
})

describe('a process that is killed', () => {
  const place = join(folder, 'store')

  it('after the decision and before the notification is followed by one that sends it with the same id', async () => {
    const received = Promise.withResolvers<void>()
    let isDown = true
    const receiver = await startUpstream((request, response) => {
      received.resolve()
      // The first process is killed while it waits for this answer.
      if (!isDown) answer(200)(request, response)
    })
    const settings = { store: { folder: place }, url: receiver.url, secretFile }
    const first = startProgram('notifying-service', { ...settings, asks: true, secondsAhead: 0 })
    onTestFinished(() => void first.process.kill('SIGKILL'))
    expect(await first.told('decided')).toBe('decided 200')
    await received.promise
    first.process.kill('SIGKILL')
    await first.ended
    isDown = false
    const second = startProgram('notifying-service', { ...settings, asks: false, secondsAhead: 31 })
    onTestFinished(() => void second.process.kill('SIGKILL'))
    await second.told('sent')
    expect(receiver.requests).toHaveLength(2)
    const [before, after] = receiver.requests
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id'])
    expect(after?.body).toEqual(before?.body)
    expect(receiver.requests.map(verified)).toMatchObject(Array(2).fill({ type: 'approval.decided' }))
  })
})
