import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { folderWith } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

const document = {
  openapi: '3.1.0',
  paths: {
    '/items/{id}': {
      put: {
        summary: 'Changes an item.',
        parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { enum: ['small', 'large'], description: 'How large?' },
                  tags: { type: 'array', items: { type: 'string' } },
                  owner: { $ref: '#/components/schemas/Owner' },
                },
              },
            },
          },
        },
      },
    },
  },
  components: { schemas: { Owner: { type: 'object' } } },
}

function configuration(target: string, away: string): string {
  const route = (id: string, method: string, path: string) => ({ id, method, path, target, mcp: {} })
  return JSON.stringify({
    plugins: { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } },
    mcp: {},
    routes: [
      route('change-item', 'PUT', '/items/{itemId}'),
      route('read-item', 'GET', '/items/{itemId}'),
      { ...route('read-user', 'GET', '/users/{userId}'), target: away },
    ],
  })
}

test('the tools of a file are those of the documents of its services, with the reason of each that is none', async () => {
  const { url } = await startServer((request, response) =>
    request.url === '/openapi.json' ? response.end(JSON.stringify(document)) : response.writeHead(404).end(),
  )
  const cwd = folderWith({ 'gateway.yaml': configuration(url, 'http://127.0.0.1:18') })
  const { code, stdout, stderr } = await runHere(['mcp', 'tools', 'gateway.yaml'], { cwd })
  expect(stdout.split('\n')).toEqual([
    'change-item',
    '  Changes an item.',
    '  (may be repeated)',
    '    id     string             required',
    '    size   "small" | "large"  required  How large?',
    '    tags   list of string',
    '    owner  Owner',
    '',
    'Routes that are no tools:',
    '  read-item  no_operation  the document has no operation for GET /items/{itemId}',
    '  read-user  no_document   the document of the service cannot be read',
    '',
    '1 tool',
    '',
  ])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  const json = await runHere(['mcp', 'tools', 'gateway.yaml', '--json'], { cwd })
  expect(JSON.parse(json.stdout)).toMatchObject({
    tools: [
      {
        name: 'change-item',
        inputSchema: { required: ['id', 'size'], properties: { tags: { type: 'array' } } },
      },
    ],
    missing: [
      { route: 'read-item', code: 'no_operation' },
      { route: 'read-user', code: 'no_document' },
    ],
  })
})

test('the tools of a gateway are asked for with the token, and shown without control characters', async () => {
  const asked: unknown[] = []
  const { url } = await startServer((request, response) => {
    const { authorization, 'x-tenant-id': tenant, 'mcp-method': method } = request.headers
    asked.push([request.url, authorization, tenant, method])
    const hostile = 'x\u001b[2J\u202ey\nz'
    const tool = {
      name: hostile,
      title: hostile,
      description: hostile,
      inputSchema: { type: 'object', properties: { [hostile]: { type: hostile, description: hostile } } },
    }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [tool, null, 7] } }))
  })
  const env = { AGENTIC_TOKEN: 'abc' }
  const shown = await runHere(['mcp', 'tools', `${url}/mcp/`, '--tenant', 'acme'], { env })
  expect(asked).toEqual([['/mcp', 'Bearer abc', 'acme', 'tools/list']])
  expect(shown.stdout).toContain('x\\u{1b}[2J\\u{202e}y z')
  expect(shown.stdout).not.toContain('\u001b')
  expect(shown).toMatchObject({ code: 0, stderr: '' })
})

test('a refused token and an answer that is no list fail, and name the reason', async () => {
  const { url } = await startServer((request, response) => {
    const body = { type: 'error', code: 'MISSING_TOKEN', message: 'A token is needed.' }
    if (request.url === '/mcp') response.writeHead(401).end(JSON.stringify(body))
    else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }))
  })
  expect(await runHere(['mcp', 'tools', url])).toEqual({
    code: 1,
    stdout: '',
    stderr: `The gateway answered 401 MISSING_TOKEN: A token is needed. (${url}/mcp)\n`,
  })
  expect(await runHere(['mcp', 'tools', `${url}/other`])).toMatchObject({
    code: 1,
    stderr: `The answer has no tools (${url}/other/mcp)\n`,
  })
})
