import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '@agentic-rest/testing/start-server'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith, spawnAgentic } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

const health = (url: string, ...args: string[]) => runHere(['health', '--url', url, ...args])

test('"agentic health" tells a ready gateway, a degraded one, one that drains and one that is gone apart', async () => {
  // The listener stays open for the delay, so that load balancers see the gateway leave.
  const cwd = folderWith({ 'gateway.yaml': configuration({ gateway: { drain_delay_seconds: 60 } }) })
  const gateway = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd })
  const { port } = await gateway.logged('the gateway is listening')
  const url = `http://127.0.0.1:${port}`
  expect(await health(url)).toEqual({ code: 0, stdout: 'ready\n', stderr: '' })

  writeFileSync(join(cwd, 'gateway.yaml'), 'routes: [')
  gateway.child.kill('SIGHUP')
  await gateway.logged('the reload was refused')
  const degraded = 'ready\ndegraded: configuration: the last reload was refused\n'
  expect(await health(url)).toEqual({ code: 0, stdout: degraded, stderr: '' })

  gateway.child.kill('SIGTERM')
  await gateway.logged('draining')
  expect(await health(url)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'not ready: 503 The gateway is shutting down.\n',
  })
  gateway.child.kill('SIGKILL')
  await gateway.ended
  expect(await health(url)).toEqual({
    code: 1,
    stdout: '',
    stderr: `no gateway answers at ${url} within 2000 ms\n`,
  })
})

test('"agentic health" does not wait longer than its limit', async () => {
  const { url } = await startTcpUpstream(() => undefined)
  expect(await health(url, '--timeout-ms', '100')).toEqual({
    code: 1,
    stdout: '',
    stderr: `no gateway answers at ${url} within 100 ms\n`,
  })
})

test('"agentic health" does not take another web server for a ready gateway', async () => {
  const { url } = await startServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"\\u001b[31mup"}'),
  )
  expect(await health(url)).toEqual({
    code: 1,
    stdout: '',
    stderr: `the answer of ${url} is not that of a gateway\n`,
  })
})

test.each([
  ['200', '{"status":"ready","degraded":[{"toString":1},null,"\\u001b[2J"]}', 0],
  ['200', '{"status":{"toString":1,"valueOf":1}}', 1],
  ['200', 'null', 1],
  ['200', 'up', 1],
  ['503', '{"message":{"toString":1,"valueOf":1}}', 1],
  ['503', '{}', 1],
  ['302', '{"status":"ready"}', 1],
])('"agentic health" judges an answer of %s with %s, and shows no stack', async (status, body, code) => {
  const { url } = await startServer((_request, response) =>
    response.writeHead(Number(status), { location: '/elsewhere' }).end(body),
  )
  const ended = await health(`${url}/with/a/path?and=more`)
  expect(ended).toMatchObject({ code })
  expect(ended.stdout + ended.stderr).not.toMatch(/\n +at |undefined|\[object|\p{Cc}(?<!\n)/u)
})

test.each(['0', '-1', 'NaN', '1e3', '1.5', '600001', '99999999999999999999'])(
  '"agentic health" refuses %s milliseconds',
  async (ms) => {
    expect(await health('http://127.0.0.1:9', `--timeout-ms=${ms}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'agentic health: --timeout-ms is a whole number from 1 to 600000\n',
    })
  },
)

test.each(['ftp://127.0.0.1', '127.0.0.1:8080', 'localhost:8080', 'http://'])(
  '"agentic health" refuses the address %s',
  async (url) => {
    expect(await health(url)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'agentic health: --url is not an http or https URL\n',
    })
  },
)
