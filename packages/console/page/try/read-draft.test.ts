import { adminBodies } from '@agentic-rest/profile/admin'
import { expect, test } from 'vitest'
import { type Draft, emptyDraft, forRoute, hasOptions, parseDraft, writeDraft } from './draft.ts'
import { parseQuery, readDraft } from './read-draft.ts'

const [post, get, sse] = adminBodies.Routes.read({
  routes: [
    { id: 'create', method: 'POST', path: '/campaigns/{campaignId}/optimizations/{__proto__}' },
    { id: 'read', method: 'GET', path: '/campaigns/{campaignId}' },
    { id: 'stream', method: 'POST', path: '/llm', mode: 'sse' },
  ],
}).routes
if (post === undefined || get === undefined || sse === undefined) throw new Error('routes are missing')

const params = new Map([
  ['campaignId', 'cmp 1'],
  ['__proto__', 'x'],
  ['left over', 'from another route'],
])

test('a filled-in form is a request', () => {
  const draft: Draft = {
    ...emptyDraft,
    params,
    query: '?a=1&b=2&b=3',
    body: '{"goal":"ctr"}',
    tenant: 'acme',
  }
  const reading = readDraft(draft, post)
  expect(reading).toEqual({
    ok: true,
    request: {
      method: 'POST',
      path: post.path,
      params: Object.fromEntries([
        ['campaignId', 'cmp 1'],
        ['__proto__', 'x'],
      ]),
      query: { a: ['1'], b: ['2', '3'] },
      body: { goal: 'ctr' },
      tenantId: 'acme',
    },
  })
})

test('options become settings of the request', () => {
  const draft = { ...emptyDraft, params, isAsync: true, idempotencyKey: 'k', correlationId: 'c' }
  expect(readDraft(draft, get)).toEqual({
    ok: true,
    request: {
      method: 'GET',
      path: get.path,
      params: { campaignId: 'cmp 1' },
      correlationId: 'c',
      idempotencyKey: 'k',
      preferAsync: true,
    },
  })
  expect(readDraft({ ...draft, body: '' }, sse)).toMatchObject({ ok: true, request: { method: 'POST' } })
  expect(readDraft(draft, sse)).not.toHaveProperty('request.preferAsync')
})

test('an empty object is a body, and an empty text is none', () => {
  expect(readDraft({ ...emptyDraft, params }, post)).toHaveProperty('request.body', {})
  expect(readDraft({ ...emptyDraft, params, body: ' ' }, post)).not.toHaveProperty('request.body')
  expect(readDraft({ ...emptyDraft, params }, get)).not.toHaveProperty('request.body')
})

test('what is missing or no JSON is said at its field', () => {
  const reading = readDraft({ ...emptyDraft, body: '{' }, post)
  expect(reading.ok ? [] : [...reading.faults.keys()]).toEqual([
    'param campaignId',
    'param __proto__',
    'body',
  ])
})

test('a draft outlives a reload, and rubbish is an empty one', () => {
  const draft: Draft = {
    ...emptyDraft,
    routeId: 'create',
    sub: 'alice',
    params,
    isStream: false,
    isAsync: true,
  }
  expect(parseDraft(writeDraft(draft))).toEqual(draft)
  for (const text of ['', '{', 'null', '[]']) expect(parseDraft(text)).toEqual(emptyDraft)
  expect(writeDraft(draft)).not.toContain('token')
})

test('a query is read as a browser does', () => {
  expect(parseQuery('a=%20&a=b+c')).toEqual({ a: [' ', 'b c'] })
})

test('options are shown where one of them is set', () => {
  expect(hasOptions(post, emptyDraft)).toBe(false)
  expect(hasOptions(post, { ...emptyDraft, query: 'a=1' })).toBe(true)
  expect(hasOptions(get, { ...emptyDraft, query: 'a=1' })).toBe(false)
  expect(hasOptions(get, { ...emptyDraft, isAsync: true })).toBe(true)
})

test('another route keeps who sends and the parameters, and nothing else', () => {
  const draft: Draft = {
    ...emptyDraft,
    ...{ routeId: 'read', sub: 'alice', tenant: 'acme', params, query: 'days=3', body: '{"a":1}' },
    ...{ idempotencyKey: 'k', correlationId: 'c', isAsync: true, isStream: false },
  }
  expect(forRoute(draft, 'read')).toBe(draft)
  expect(forRoute(draft, 'create')).toEqual({
    ...emptyDraft,
    routeId: 'create',
    sub: 'alice',
    tenant: 'acme',
    params,
  })
})
