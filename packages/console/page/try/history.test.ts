import { expect, test } from 'vitest'
import { anyRoute, emptyDraft, parseDraft } from './draft.ts'
import { createHistory, type HistoryEntry, makeEntry, parseHistory, restoredDraft } from './history.ts'

const route = { method: 'POST', path: '/items/{id}/lines' }
const at = '2026-01-02T03:04:05.000Z'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'

function memory() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  }
}

const entryFor = (body: string, token = ''): HistoryEntry =>
  makeEntry({ draft: { ...emptyDraft, routeId: 'r', body }, route, token }, at)

test('an entry has the path with its values and its query, and gives the form back', () => {
  const draft = {
    ...emptyDraft,
    routeId: 'r',
    params: new Map([['id', 'a b']]),
    query: '?days=3',
    body: '{"a":1}',
  }
  const entry = makeEntry({ draft, route, token: 'secret' }, at)
  expect(entry).toMatchObject({ at, method: 'POST', path: '/items/a%20b/lines?days=3', outcome: '' })
  expect(parseDraft(entry.draft)).toEqual(draft)
})

test('no token is kept, whichever field it was written into', () => {
  const opaque = 'opaque-token-of-alice'
  const draft = {
    ...emptyDraft,
    path: `/x/${jwt}`,
    params: new Map([['id', opaque]]),
    query: `access_token=abc123&a=${opaque}`,
    headers: new Map([
      ['X-Api-Key', 'abc123'],
      ['X-Region', `Bearer ${jwt}`],
    ]),
    body: JSON.stringify({
      approvalToken: 'abc123',
      in: { password: ['abc123'] },
      text: `see ${jwt}`,
      max_tokens: 5,
    }),
    idempotencyKey: opaque,
    correlationId: jwt,
  }
  const entry = makeEntry({ draft, route, token: opaque }, at)
  const text = JSON.stringify(entry)
  for (const secret of [opaque, jwt, 'abc123', 'c2lnbmF0dXJl']) expect(text).not.toContain(secret)
  expect(JSON.parse(parseDraft(entry.draft).body)).toEqual({
    approvalToken: '[hidden]',
    in: { password: '[hidden]' },
    text: 'see [hidden]',
    max_tokens: 5,
  })
  expect(parseDraft(entryFor('{"password": "abc123"').draft).body).toBe('')
})

test('it keeps the newest 50, in 250,000 characters, and no very long body', () => {
  const storage = memory()
  const history = createHistory(() => storage)
  for (let turn = 0; turn < 60; turn++) history.add(entryFor(`{"turn":${turn}}`))
  expect(history.get()).toHaveLength(50)
  expect(parseDraft(history.get()[0]?.draft ?? '').body).toBe('{"turn":59}')
  for (let turn = 0; turn < 60; turn++) history.add(entryFor(JSON.stringify('x'.repeat(15_000))))
  expect(storage.kept.get('console.history')?.length).toBeLessThan(251_000)
  expect(history.get().length).toBeGreaterThan(10)
  expect(parseDraft(entryFor('x'.repeat(16_001)).draft).body).toBe('')
})

test('it survives a reload, notes answers, shares a browser with another tab, and is cleared', () => {
  const storage = memory()
  const [one, two] = [createHistory(() => storage), createHistory(() => storage)]
  const entry = entryFor('{}')
  one.add(entry)
  two.add(entryFor('[]'))
  one.answered(entry.id, { status: 201, outcome: 'created' })
  expect(createHistory(() => storage).get()).toMatchObject([
    { outcome: '' },
    { status: 201, outcome: 'created' },
  ])
  one.clear()
  expect([one.get(), storage.kept.size]).toEqual([[], 0])
})

test('rubbish in the storage is ignored, and a browser may forbid storage', () => {
  for (const text of ['', '{', 'null', '{}', '[1, {"id": 7}]']) expect(parseHistory(text)).toEqual([])
  const history = createHistory(() => {
    throw new Error('forbidden')
  })
  history.add(entryFor('{}'))
  expect(history.get()).toHaveLength(1)
})

test('the request of a removed route becomes one to its method and path', () => {
  const draft = { ...emptyDraft, routeId: 'gone', params: new Map([['id', '7']]), query: 'a=1' }
  const entry = makeEntry({ draft, route, token: '' }, at)
  expect(restoredDraft(entry, [])).toMatchObject({
    routeId: '*',
    method: 'POST',
    path: '/items/7/lines',
    query: 'a=1',
  })
  const kept = { ...anyRoute(route), id: 'gone' }
  expect(restoredDraft(entry, [kept])).toEqual(draft)
})

test('with a full storage it lasts until the page is closed, and answers are noted', () => {
  const storage = memory()
  const history = createHistory(() => ({
    ...storage,
    setItem() {
      throw new DOMException('full', 'QuotaExceededError')
    },
  }))
  const entries = [entryFor('{"a":1}'), entryFor('{"a":2}')]
  for (const entry of entries) history.add(entry)
  for (const { id } of entries) history.answered(id, { status: 200, outcome: 'success' })
  expect(history.get().map(({ draft, status }) => [parseDraft(draft).body, status])).toEqual([
    ['{"a":2}', 200],
    ['{"a":1}', 200],
  ])
  history.clear()
  expect(history.get()).toEqual([])
})
