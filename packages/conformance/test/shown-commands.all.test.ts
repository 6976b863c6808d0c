import { exec } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describeWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished, test } from 'vitest'
import { runConformance } from '../src/index.ts'

const requests = [
  { title: 'quotes', request: { method: 'POST', path: '/faults', body: { goal: "it's $HOME" } } },
  { title: 'line breaks', request: { method: 'POST', path: '/faults', body: 'a\nb\u0007\\' } },
  { title: 'the name of a file', request: { method: 'POST', path: '/faults', body: '@/etc/hostname' } },
  { title: 'patterns', request: { method: 'GET', path: '/a/../faults?ids[]=1&f={x,y}' } },
  { title: 'no answering body', request: { method: 'HEAD', path: '/faults' } },
] as const

describeWith(['curl', 'bash'], 'the shown commands', () => {
  test.each(requests)(
    'of a failure with $title, with the token put in, sends the same request',
    async ({ request }) => {
      const { url, requests: seen } = await startRecorder((response) => void response.writeHead(418).end())
      const report = await runConformance({
        baseUrl: url,
        scenario: {
          tokens: { 'bob-2': { env: 'BOB' } },
          token: 'bob-2',
          outcomes: { conflict: { request } },
        },
        env: { BOB: 'token-of-bob' },
        rules: ['row-conflict'],
      })
      const command = report.rows[0]?.curl ?? ''
      const env = { TOKEN_BOB_2: 'token-of-bob', PATH: process.env['PATH'] ?? '' }
      expect(await runShell(`${command} --silent --max-time 10`, env)).toMatch(/^HTTP\/1\.1 418 /)
      expect(command).not.toContain('token-of-bob')
      expect(seen).toHaveLength(2)
      expect(seen[1]).toEqual(seen[0])
    },
  )

  test('of a false token makes the same false token of the true one', async () => {
    const { url, requests } = await startRecorder(
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    )
    const report = await runConformance({
      baseUrl: url,
      scenario: {
        tokens: { alice: { env: 'ALICE' } },
        token: 'alice',
        outcomes: { success: { request: { method: 'GET', path: '/' } } },
      },
      env: { ALICE: 'head.claims.signature' },
      rules: ['invalid-token-refused'],
    })
    expect(report.rows).toMatchObject([
      { observation: 'token.invalid', result: 'fail', curl: expect.stringContaining('Bearer not-a-token"') },
      { observation: 'token.forged', result: 'fail' },
    ])
    const env = { TOKEN_ALICE: 'head.claims.signature', PATH: process.env['PATH'] ?? '' }
    await runShell(`${report.rows[1]?.curl} --silent --max-time 10`, env)
    const sent = requests.map(({ authorization }) => authorization)
    expect(sent).toEqual([
      'Bearer head.claims.signature',
      'Bearer not-a-token',
      `Bearer head.claims.${'A'.repeat(86)}`,
      `Bearer head.claims.${'A'.repeat(86)}`,
    ])
    expect(JSON.stringify(report)).not.toMatch(/head\.claims/)
  })
})

interface Recorded {
  readonly line: string
  readonly authorization: string | undefined
  readonly body: string
}

/** A service that records its requests. */
async function startRecorder(answer: (response: ServerResponse) => void) {
  const requests: Recorded[] = []
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers
    requests.push({ line: `${request.method} ${request.url}`, authorization, body: await text(request) })
    answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Not synchronous: the service runs in this process. */
async function runShell(command: string, env: Record<string, string>): Promise<string> {
  return await new Promise((resolve, reject) => {
    exec(command, { env, shell: '/bin/bash' }, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}
