import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { runAgentic } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

test('without a stack it says where it looked and ends with 1', async () => {
  expect(await runAgentic(['token', '--port-base', '4'])).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr:
      'no identity provider answers at http://127.0.0.1:9: start the stack, or name its port with --port-base\n',
  })
})

test('it asks for what it was given and prints the token alone', async () => {
  const asked: string[] = []
  const { port } = await startServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => asked.push(`${request.url} ${text}`))
    request.on('end', () => response.end('{"access_token":"the.token.itself"}'))
  })
  const args = ['--port-base', String(port - 5), '--sub', 'zoe', '--tenant', 'acme', '--roles', 'a,b']
  expect(await runAgentic(['token', ...args])).toEqual({
    code: 0,
    signal: null,
    stdout: 'the.token.itself\n',
    stderr: '',
  })
  expect(asked.map((line) => decodeURIComponent(line))).toEqual([
    '/token grant_type=urn:agentic-rest:grant-type:development&client_id=development&sub=zoe&tenant=acme&roles=a,b',
  ])
})

test.each([
  { error: 'invalid_request', status: 400, code: 2, means: 'a wish that is refused is a wrong command line' },
  { error: 'server_error', status: 500, code: 1, means: 'trouble of the provider may pass' },
])('a refusal is told in its own words: $means', async ({ error, status, code }) => {
  const { port } = await startServer((_request, response) => {
    response.writeHead(status).end(JSON.stringify({ error, error_description: 'a tenant has to be given' }))
  })
  expect(await runHere(['token', '--port-base', String(port - 5)])).toEqual({
    code,
    stdout: '',
    stderr: 'a tenant has to be given\n',
  })
})

test('for an unknown name it says when people.yaml is read', async () => {
  const { port } = await startServer((_request, response) => {
    const refusal = {
      error: 'invalid_request',
      error_description: 'erin is none of alice: a tenant has to be given',
    }
    response.writeHead(400).end(JSON.stringify(refusal))
  })
  expect(await runHere(['token', '--sub', 'erin', '--port-base', String(port - 5)])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'erin is none of alice: a tenant has to be given\n' +
      'The people of people.yaml are read at the start: for a new one, start the stack again.\n',
  })
})
