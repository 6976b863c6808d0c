import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { created, defineOperation, error, success } from '../src/index.ts'
import { type Asking, ask } from './harness/ask.ts'

const store = sharedStore('notes (tenant text NOT NULL, id text NOT NULL, body text NOT NULL)')

const write = defineOperation({
  id: 'write',
  method: 'POST',
  path: '/notes/{noteId}',
  input: z.object({ noteId: z.string(), body: z.string() }),
  idempotent: true,
  async: true,
  approval: {
    role: 'editor',
    when: ({ input }) => input.body.includes('!') && { message: 'Loud.', approver: { name: 'Editor' } },
  },
  run: ({ input, tenant, commit }) =>
    commit(async (sql) => {
      const row = [tenant, input.noteId, input.body]
      await sql.query('INSERT INTO notes (tenant, id, body) VALUES ($1, $2, $3)', row)
      return created({ tenant, ...input })
    }),
})

const read = defineOperation({
  id: 'read',
  method: 'GET',
  path: '/notes/{noteId}',
  async run({ params, tenant }) {
    const rows = await store.query<{ body: string }>('SELECT body FROM notes WHERE tenant = $1 AND id = $2', [
      tenant,
      params.noteId,
    ])
    if (rows.length === 0) return error({ code: 'NOT_FOUND', message: 'm', condition: 'not_found' })
    return success({ tenant, bodies: rows.map(({ body }) => body) })
  },
})

// Names and ids that are easily confused: case, separators, SQL, paths, members of every object.
const tenantNames = fc.constantFrom(
  'a',
  'A',
  'a.b',
  'a-b',
  'a_b',
  'a.',
  '__proto__',
  'constructor',
  '0',
  '..',
  'null',
)
const ids = fc.constantFrom(
  '1',
  '__proto__',
  "1' OR '1'='1",
  '1;--',
  'a b',
  '%',
  'é',
  '*',
  'null',
  'toString',
)
const keys = fc.constantFrom('k', 'K', "k' OR ''='", '__proto__', 'k,k')

function writing({
  tenant,
  key,
  kind,
  body,
}: Record<'tenant' | 'kind' | 'body', string> & { key?: string | undefined }): Asking {
  const prefer = kind === 'later' ? 'respond-async' : undefined
  return { json: { body }, headers: { 'x-tenant-id': tenant, 'idempotency-key': key, prefer } }
}

it('no request, whatever it names, ever sees or changes what another tenant has', async () => {
  const { url, audit } = await startService({ operations: [write, read], store })
  const owned = new Map<string, string>()
  const seed = Number(process.env['SEED'])
  process.stdout.write(`tenants: seed ${seed}\n`)
  const requests = fc.sample(
    fc.record({
      tenant: tenantNames,
      id: ids,
      key: fc.option(keys, { nil: undefined }),
      kind: fc.constantFrom('write', 'loud', 'later', 'read'),
    }),
    { numRuns: 300, seed },
  )
  const operationIds: { tenant: string; statusUrl: string }[] = []
  const gates: { tenant: string; location: string }[] = []
  const send = async ({ tenant, id, key, kind }: (typeof requests)[number], index: number) => {
    const body = `${tenant}/${index}${kind === 'loud' ? '!' : ''}`
    const asking =
      kind === 'read' ? { headers: { 'x-tenant-id': tenant } } : writing({ tenant, key, kind, body })
    owned.set(body, tenant)
    const answer = await ask(`${url}/notes/${encodeURIComponent(id)}`, asking)
    const seen = JSON.parse(answer.text)
    const bodies: string[] = [seen.body ?? [], seen.bodies ?? []].flat()
    for (const text of bodies) expect([text, owned.get(text)]).toEqual([text, tenant])
    expect(seen.tenant ?? tenant).toBe(tenant)
    if (answer.status === 202) operationIds.push({ tenant, statusUrl: seen.statusUrl })
    if (answer.status === 412) gates.push({ tenant, location: answer.headers.get('location') ?? '' })
  }
  for (let first = 0; first < requests.length; first += 20) {
    const batch = requests.slice(first, first + 20)
    await Promise.all(batch.map((request, offset) => send(request, first + offset)))
  }
  expect(operationIds.length).toBeGreaterThan(5)
  expect(gates.length).toBeGreaterThan(5)
  for (const [index, { tenant, statusUrl }] of operationIds.entries()) {
    const other = operationIds[(index + 1) % operationIds.length]?.tenant ?? tenant
    const answer = await ask(url + statusUrl, { headers: { 'x-tenant-id': other } })
    expect(answer.status).toBe(other === tenant ? 200 : 404)
  }
  for (const [index, { tenant, location }] of gates.entries()) {
    const other = gates[(index + 1) % gates.length]?.tenant ?? tenant
    const headers = { 'x-tenant-id': other, 'x-actor-subject': 'bob', 'x-actor-roles': 'editor' }
    const answer = await ask(`${url}${location}/approve`, { method: 'POST', headers })
    expect([200, 409].includes(answer.status)).toBe(other === tenant)
    if (other !== tenant) expect(answer.status).toBe(404)
  }
  for (const { tenant_id, request_id } of audit) expect([request_id, tenant_id]).not.toContain('')
  for (const { tenant, body } of await store.query<{ tenant: string; body: string }>(
    'SELECT tenant, body FROM notes',
  ))
    expect([body, owned.get(body)]).toEqual([body, tenant])
})
