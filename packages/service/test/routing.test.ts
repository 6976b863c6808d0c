import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { createService, defineOperation, type Method, success } from '../src/index.ts'
import { ask, expectAnswer, expectInvalid } from './harness/ask.ts'

function operation(id: string, method: Method, path: string) {
  return defineOperation({ id, method, path, run: ({ params }) => success({ id, params }) })
}

const operations = [
  operation('show', 'GET', '/campaigns/{campaignId}'),
  operation('new', 'GET', '/campaigns/new'),
  operation('replace', 'PUT', '/campaigns/{campaignId}'),
  operation('remove', 'DELETE', '/campaigns/{id}'),
  operation('list', 'GET', '/campaigns'),
  operation('create', 'POST', '/campaigns'),
  operation('generate', 'POST', '/campaigns/{campaignId}/assets:generate'),
  operation('asset', 'POST', '/campaigns/{campaignId}/{assetId}'),
  operation('nested', 'GET', '/a/{x}/b/{y}'),
  operation('nested-literal', 'GET', '/a/c/b/d'),
  operation('root', 'GET', '/'),
]

const notFound = { type: 'error', code: 'NOT_FOUND', message: 'There is no such resource.' }

it.each<[string, string, string, object]>([
  ['GET', '/campaigns/7', 'show', { campaignId: '7' }],
  ['GET', '/campaigns/new', 'new', {}],
  ['PUT', '/campaigns/new', 'replace', { campaignId: 'new' }],
  ['DELETE', '/campaigns/7', 'remove', { id: '7' }],
  ['GET', '/campaigns', 'list', {}],
  ['GET', '/campaigns/', 'list', {}],
  ['GET', '/campaigns/7/', 'show', { campaignId: '7' }],
  ['GET', '/campaigns?x=1', 'list', {}],
  ['POST', '/campaigns', 'create', {}],
  ['POST', '/campaigns/7/assets:generate', 'generate', { campaignId: '7' }],
  ['POST', '/campaigns/7/assets:other', 'asset', { campaignId: '7', assetId: 'assets:other' }],
  ['GET', '/campaigns/a%20b', 'show', { campaignId: 'a b' }],
  ['GET', '/campaigns/%C3%A9', 'show', { campaignId: 'é' }],
  ['GET', '/campaigns/a%3Fb', 'show', { campaignId: 'a?b' }],
  ['GET', '/campaigns/__proto__', 'show', { campaignId: '__proto__' }],
  ['GET', '/a/c/b/d', 'nested-literal', {}],
  ['GET', '/a/c/b/e', 'nested', { x: 'c', y: 'e' }],
  ['GET', '/a/z/b/d', 'nested', { x: 'z', y: 'd' }],
  ['GET', '/x/../campaigns/7', 'show', { campaignId: '7' }],
  ['GET', '/', 'root', {}],
])('%s %s is answered by %s', async (method, path, id, params) => {
  const { url } = await startService({ operations })
  expectAnswer(await ask(url + path, { method }), 200, { id, params })
})

it.each([
  '/nothing',
  '/campaigns/7/assets/8',
  '//campaigns',
  '/campaigns//assets:generate',
  '/a//b/d',
  '/Campaigns',
])('%s is no resource', async (path) => {
  const { url } = await startService({ operations })
  expectAnswer(await ask(url + path), 404, notFound)
})

it.each([
  ['POST', '/campaigns/7', 'DELETE, GET, HEAD, PUT'],
  ['PATCH', '/campaigns', 'GET, HEAD, POST'],
  ['OPTIONS', '/campaigns', 'GET, HEAD, POST'],
  ['GET', '/campaigns/7/assets:generate', 'POST'],
])('%s %s is not allowed, and what is allowed is said', async (method, path, allow) => {
  const { url } = await startService({ operations })
  const answer = await ask(url + path, { method })
  expectAnswer(answer, 405, {
    type: 'error',
    code: 'METHOD_NOT_ALLOWED',
    message: 'The resource does not support this method.',
  })
  expect(answer.headers.get('allow')).toBe(allow)
})

it('HEAD is GET without a body', async () => {
  const { url } = await startService({ operations })
  const answer = await ask(`${url}/campaigns/7`, { method: 'HEAD' })
  expect([answer.status, answer.text]).toEqual([200, ''])
  expect(answer.headers.get('x-agentic-profile')).toBe('v0.3')
})

it.each(['a%2Fb', 'a%5Cb', 'a%00b', 'a%0Ab', '%FF', '%E0%A4%A'])(
  'a parameter %s, which could be read in two ways, is refused',
  async (segment) => {
    const { url } = await startService({ operations })
    expectInvalid(await ask(`${url}/campaigns/${segment}`), [
      { field: 'path', message: 'The parameter campaignId cannot be used in a path.' },
    ])
  },
)

describe('operations that cannot be served together', () => {
  it.each([
    ['one id', [operation('a', 'GET', '/a'), operation('a', 'GET', '/b')], 'two operations have the id a'],
    [
      'one method and path',
      [operation('a', 'GET', '/a/{x}'), operation('b', 'GET', '/a/{y}')],
      'two operations answer to GET /a/{}',
    ],
    [
      'the path of the document',
      [operation('a', 'GET', '/openapi.json')],
      "/openapi.json is the path of the document and cannot be an operation's",
    ],
  ])('with %s are refused at start', (_title, list, message) => {
    expect(() => createService({ operations: list })).toThrow(message)
  })
})
