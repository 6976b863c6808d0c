import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { eventually } from '@agentic-rest/testing/eventually'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { ask, createClient, startWorkers, workersConfig } from './start-workers.ts'

const secret = 'a shared secret of the tests, long enough'

function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ exp: Date.now() / 1000 + 600, ...claims })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

const named = (from: string) =>
  startUpstream((_request, response) => answerJson(response, { body: { from } }))

const plugins = {
  'token-validator': {
    issuers: [{ issuer: 'tests', algorithms: ['HS256'], audience: ['agentic'], hs256_secret: secret }],
  },
  'tenant-injector': { trust_header: 'everyone', allowed: ['acme'] },
}
const authorization = `Bearer ${tokenOf({ iss: 'tests', aud: 'agentic', sub: 'alice', roles: ['operator'] })}`
const admin = { port: 0, role: 'operator' }

test('all workers reload or none, by signal and by the admin listener, and the console shows all of them', async () => {
  const [first, second] = [await named('first'), await named('second')]
  const config = { gateway: { admin }, plugins }
  const gateway = await startWorkers({ target: first.url, ...config })
  const file = join(gateway.folder, 'gateway.yaml')
  const clients = Array.from({ length: 4 }, () => createClient())
  const everywhere = async (correlationId = 'later') => {
    const headers = { authorization, 'x-correlation-id': correlationId }
    const bodies = []
    for (const [index, client] of clients.entries()) {
      bodies.push((await ask(`${gateway.url}/items/${index}`, client, headers)).body)
      // Records of two processes are ordered, except within one millisecond.
      const answeredAt = Date.now()
      await eventually(Date.now, (now) => now > answeredAt + 1)
    }
    return [...new Set(bodies)]
  }
  const { port } = await gateway.logged('the console is listening')
  const adminUrl = `http://127.0.0.1:${port}`
  const askAdmin = async (path: string, method = 'GET') =>
    (await fetch(`${adminUrl}${path}`, { method, headers: { authorization } })).json()
  const counts = countsOf(await fetch(`${adminUrl}/api/feed`, { headers: { authorization } }))
  let round = 0
  // The other worker learns of the reader a moment later, and a second may end between two requests.
  await eventually(
    async () => {
      round += 1
      expect(await everywhere(`round-${round}`)).toEqual(['{"from":"first"}'])
      return (await counts.next()).value
    },
    (count) => count === 4,
  )

  const { records } = (await askAdmin(`/api/records?correlation_id=round-${round}`)) as {
    records: { resource_id: string }[]
  }
  expect(records.map(({ resource_id }) => resource_id)).toEqual(['0', '1', '2', '3'])
  const { exchanges } = (await askAdmin('/api/recent')) as { exchanges: { correlationId: string }[] }
  expect(exchanges).toHaveLength(round)
  // Once, although both workers had requests of it.
  expect(exchanges[0]).toMatchObject({ correlationId: `round-${round}`, parts: ['gateway'] })

  // Of all workers, each once.
  const { requests } = (await askAdmin('/api/requests')) as { requests: { spanId: string }[] }
  expect(new Set(requests.map(({ spanId }) => spanId)).size).toBe(round * 4)

  writeFileSync(file, workersConfig({ target: second.url, ...config }))
  gateway.child.kill('SIGHUP')
  await gateway.logged('the configuration was reloaded')
  expect(await everywhere()).toEqual(['{"from":"second"}'])

  const ready = async () => JSON.parse((await ask(`${gateway.url}/readyz`)).body)
  const refusals = [
    [
      workersConfig({ target: first.url, workers: 3, ...config }),
      /gateway\.workers: cannot change without a restart$/,
    ],
    // Valid for the supervisor, refused only by the workers.
    [
      workersConfig({
        target: first.url,
        gateway: { admin, tls: undefined },
        plugins: {
          ...plugins,
          'token-validator': { issuers: [{ issuer: 'x', audience: ['a'], jwks_file: 'no.json' }] },
        },
      }),
      /^gateway\.yaml: issuer x: jwks_file cannot be read$/,
    ],
  ] as const
  for (const [text, fault] of refusals) {
    writeFileSync(file, text)
    expect(await askAdmin('/api/reload', 'POST')).toEqual({
      at: expect.any(String),
      result: 'refused',
      faults: [expect.stringMatching(fault)],
    })
    expect(await everywhere()).toEqual(['{"from":"second"}'])
    expect(await ready()).toEqual({
      status: 'ready',
      degraded: ['configuration: the last reload was refused'],
    })
  }
  // A replacement uses the configuration of the other workers, not the file.
  process.kill(gateway.pids()[1] ?? 0, 'SIGKILL')
  await gateway.logged('a worker ended')
  await gateway.replaced()
  const fresh = [createClient(), createClient(), createClient(), createClient()]
  for (const client of fresh)
    expect((await ask(`${gateway.url}/items/1`, client, { authorization })).body).toBe('{"from":"second"}')

  writeFileSync(file, workersConfig({ target: first.url, ...config }))
  expect(await askAdmin('/api/reload', 'POST')).toMatchObject({ result: 'applied', faults: [] })
  expect(await everywhere()).toEqual(['{"from":"first"}'])
  await eventually(ready, ({ degraded }) => degraded.length === 0)
  const reloads = gateway.log.filter(({ msg }) => String(msg).includes('reload'))
  expect(reloads.map(({ level }) => level)).toEqual(['info', 'error', 'error', 'info'])
})

test('a worker that dies during a reload affects no other worker', async () => {
  const { url } = await named('first')
  // Keys never arrive: the other workers have not answered when one dies.
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const jwks_uri = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/keys`
  const gateway = await startWorkers({ target: url })
  const issuers = [{ issuer: 'silent', audience: ['a'], jwks_uri }]
  const text = workersConfig({ target: url, plugins: { 'token-validator': { issuers } } })
  writeFileSync(join(gateway.folder, 'gateway.yaml'), text)
  gateway.child.kill('SIGHUP')
  await once(silent, 'connection')
  process.kill(gateway.pids()[0] ?? 0, 'SIGKILL')
  await gateway.logged('the configuration was reloaded')
  await gateway.replaced()
  // The replacement starts after the reload, with the new configuration.
  const messages = gateway.log.map(({ msg }) => String(msg))
  const at = (start: string) => messages.findIndex((message) => message.startsWith(start))
  expect(at('the configuration was reloaded')).toBeLessThan(at('a worker has taken the place'))
  expect(gateway.child.exitCode).toBeNull()
})

/** The counts of the feed's summaries that are not zero. */
async function* countsOf({ body }: Response): AsyncGenerator<number> {
  let text = ''
  let seen = 0
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString()
    const summaries = [...text.matchAll(/event: summary\ndata: (.*)\n/g)]
    for (const [, data = '{}'] of summaries.slice(seen)) {
      const { requests } = JSON.parse(data)
      if (requests > 0) yield requests
    }
    seen = summaries.length
  }
}
