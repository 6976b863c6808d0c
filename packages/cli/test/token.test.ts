import { expect, test } from 'vitest'
import { runAgentic } from './harness/run-agentic.ts'
import { startUpstream } from './harness/start-upstream.ts'

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
  const { port } = await startUpstream((request, response) => {
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

test('a refusal is told in its own words', async () => {
  const { port } = await startUpstream((_request, response) => {
    response.writeHead(400).end('{"error":"invalid_request","error_description":"a tenant has to be given"}')
  })
  expect(await runAgentic(['token', '--port-base', String(port - 5)])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'a tenant has to be given\n',
  })
})
