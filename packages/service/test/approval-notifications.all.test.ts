import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it, onTestFinished } from 'vitest'
import { createStore } from '../src/runtime/sql-store.ts'
import { startOutbox } from './harness/start-outbox.ts'

describePostgres('on PostgreSQL', (server) => {
  it('of several senders one sends each message, once', async () => {
    const own = createStore({ url: server().url })
    onTestFinished(() => own.close())
    await own.migrate()
    const receiver = await startUpstream((_request, response) => void response.end())
    const folder = mkdtempSync(join(tmpdir(), 'agentic-notify-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const secretFile = join(folder, 'secret')
    writeFileSync(secretFile, `whsec_${randomBytes(32).toString('base64')}\n`)
    const { request, startNotifier, waiting } = await startOutbox(own, { secretFile, urls: [receiver.url] })
    for (let count = 0; count < 40; count += 1) await request()
    for (let count = 0; count < 4; count += 1) startNotifier()
    await expect.poll(waiting).toEqual([])
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([40, 40])
  })
})
