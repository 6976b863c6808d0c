import { adminBodies } from '@agentic-rest/profile/admin'
import type { Approval } from '@agentic-rest/profile/approval'
import { countWaiting, mergeSources } from '@agentic-rest/profile/approval'
import { expect, test, vi } from 'vitest'
import { sendAsMe } from '../api/as-me.ts'
import { exampleApproval, exampleToken, NOW } from './example-approval.ts'
import { Inbox } from './inbox.ts'
import type { InboxApi } from './inbox-api.ts'

const token = (sub: string) => exampleToken({ sub })

function inboxOf(api: Partial<InboxApi>, paths: readonly string[] = ['/approvals']): Inbox {
  const routes = paths.map((path) => ({ id: path, method: 'GET', path, target: 'http://127.0.0.1:8081' }))
  return new Inbox({
    admin: {
      gateway: async () => adminBodies.Gateway.read({ gatewayUrl: 'http://127.0.0.1:8080' }),
      routes: async () => adminBodies.Routes.read({ routes }),
      token: async () => ({ token: '', expiresAt: '' }),
    },
    api: {
      list: async () => ({ approvals: [], next: undefined }),
      read: async () => undefined,
      act: async (_access, _service, { approval }) => approval,
      ...api,
    },
    now: () => NOW,
  })
}

const countOf = (inbox: Inbox) => {
  const { who, sources } = inbox.get()
  return who === undefined ? undefined : countWaiting(sources, { me: who.me, now: NOW })
}

test('a service that fails keeps its approvals, and the others are shown', async () => {
  let isDown = false
  const inbox = inboxOf(
    {
      async list(_access, { path }) {
        if (isDown && path === '/a/approvals') throw new Error('no answer')
        return { approvals: [exampleApproval({ approvalId: path })], next: undefined }
      },
    },
    ['/a/approvals', '/b/approvals'],
  )
  await inbox.useToken(token('dave'), '')
  expect(countOf(inbox)).toBe('2')
  isDown = true
  await inbox.refresh()
  expect(countOf(inbox)).toBe('2')
  expect(inbox.get().sources.map(({ service, fault }) => [service.path, fault])).toEqual(
    expect.arrayContaining([
      ['/a/approvals', 'no answer'],
      ['/b/approvals', ''],
    ]),
  )
})

test('a slow service does not hold up the others', async () => {
  const held = Promise.withResolvers<void>()
  const inbox = inboxOf(
    {
      async list(_access, { path }) {
        if (path === '/a/approvals') await held.promise
        return { approvals: [exampleApproval({ approvalId: path })], next: undefined }
      },
    },
    ['/a/approvals', '/b/approvals'],
  )
  const reading = inbox.useToken(token('dave'), '')
  await expect.poll(() => countOf(inbox)).toBe('1')
  held.resolve()
  await reading
  expect(countOf(inbox)).toBe('2')
})

test('of 10,000 open approvals at most ten pages are read', async () => {
  let reads = 0
  const inbox = inboxOf({
    async list(_access, _service, { cursor = '0', limit }) {
      reads += 1
      const from = Number(cursor)
      const approvals = Array.from({ length: limit }, (_, index) =>
        exampleApproval({ approvalId: `a-${from + index}` }),
      )
      return { approvals, next: from + limit < 10_000 ? String(from + limit) : undefined }
    },
  })
  await inbox.useToken(token('dave'), '')
  expect([reads, countOf(inbox)]).toEqual([1, '50+'])
  for (let turn = 0; turn < 20; turn++) inbox.showMore()
  await inbox.refresh()
  await expect.poll(() => countOf(inbox)).toBe('500+')
  reads = 0
  await inbox.refresh()
  expect(reads).toBe(10)
})

test('pages of own requests are skipped to find the first that waits', async () => {
  const inbox = inboxOf({
    list: async (_access, _service, { cursor }) => ({
      approvals: [exampleApproval({ approvalId: `a-${cursor}`, requester: cursor === '2' ? 'eve' : 'dave' })],
      next: cursor === undefined ? '1' : String(Number(cursor) + 1),
    }),
  })
  await inbox.useToken(token('dave'), '')
  expect(countOf(inbox)).toBe('1+')
})

test('an answer for an earlier person is dropped', async () => {
  const held = Promise.withResolvers<void>()
  const inbox = inboxOf({
    async list({ token: source }) {
      if (source === token('alice')) await held.promise
      return { approvals: [exampleApproval({ requester: String(source) })], next: undefined }
    },
  })
  const before = inbox.useToken(token('alice'), '')
  await inbox.useToken(token('dave'), '')
  held.resolve()
  await before
  expect(mergeSources(inbox.get().sources).map(({ approval }) => approval.requester)).toEqual([token('dave')])
  inbox.forget()
  expect(inbox.get()).toMatchObject({ who: undefined, sources: [], opened: undefined })
})

test('a decision stays shown after its list no longer has it, and its comment and digest are sent', async () => {
  let kept: Approval = exampleApproval()
  const sent: unknown[] = []
  const inbox = inboxOf({
    list: async (_access, _service, { state }) => ({
      approvals: kept.state === state ? [kept] : [],
      next: undefined,
    }),
    read: async () => kept,
    async act(_access, _service, { verb, approval: { digest }, comment }) {
      sent.push([verb, digest, comment])
      kept = exampleApproval({ state: 'approved' })
      return kept
    },
  })
  await inbox.useToken(token('dave'), '')
  inbox.show({ hasClosed: false, approvalId: 'a-1' })
  const listed = inbox.get().opened?.listed
  if (listed === undefined) return expect.fail('the approval is not opened')
  await inbox.act(listed, 'approve', 'fine')
  expect(sent).toEqual([['approve', 'd-1', 'fine']])
  await expect.poll(() => countOf(inbox)).toBe('')
  expect(inbox.get().opened?.listed?.approval.state).toBe('approved')
})

test('a linked approval is asked for at each service', async () => {
  const inbox = inboxOf(
    { read: async (_access, { path }) => (path === '/b/approvals' ? exampleApproval() : undefined) },
    ['/a/approvals', '/b/approvals'],
  )
  inbox.show({ hasClosed: false, approvalId: 'a-1' })
  await inbox.useToken(token('dave'), '')
  expect(inbox.get().opened?.listed?.service.path).toBe('/b/approvals')
  inbox.show({ hasClosed: false, approvalId: 'a-2' })
  await expect.poll(() => inbox.get().opened).toMatchObject({ approvalId: 'a-2' })
})

test('with a sign-in the inbox is that of the person of the session, without a token', async () => {
  const asked: unknown[] = []
  const inbox = inboxOf({
    async list({ token, fetch }) {
      asked.push([token, fetch === sendAsMe])
      return { approvals: [exampleApproval()], next: undefined }
    },
  })
  const user = { subject: 'dave', name: 'Dave D.' }
  inbox.resume({ people: [], user, signIn: true, gatewayUrl: 'http://127.0.0.1:8080' })
  await vi.waitFor(() => expect(countOf(inbox)).toBe('1'))
  expect(inbox.get().who?.name).toBe('Dave D.')
  expect(asked).toEqual([[undefined, true]])
})
