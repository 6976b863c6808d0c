import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'

test('the command line of a checkout inspects a body that needs a thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thread-in-checkout-'))
  const upstream = await startUpstream((_request, response) => response.end())
  const gateway = await startGatewayProcess({
    folder,
    config: {
      plugins: { 'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] } },
      routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
    },
  })
  onTestFinished(async () => {
    await gateway.stop()
    rmSync(folder, { recursive: true })
  })
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/r`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Tenant-ID': 'acme' },
    body: JSON.stringify({ text: 'a report '.repeat(110_000) }),
  })
  expect([answer.status, await answer.text()]).toEqual([200, ''])
})
