import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'
import { startSupervisor } from '../../workers/start-supervisor.ts'
import { linesOf, sealFolder } from './seal-folder.ts'

const startWrites = () => startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
const routes = (target: string) => [{ id: 'write-item', method: 'POST', path: '/items', target }]

const send = async (url: string, count = 1, more: Readonly<Record<string, string>> = {}) => {
  for (let n = 0; n < count; n += 1) {
    const headers = {
      'X-Tenant-ID': 'acme',
      'X-Request-ID': `r-${n}`,
      'Content-Type': 'text/plain',
      Connection: 'close',
      ...more,
    }
    const answer = await fetch(`${url}/items`, { method: 'POST', headers, body: `body ${n}` })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
}

it('writes sealed lines with the hash of the body, and the body beside them', async () => {
  const log = sealFolder()
  const { url: target } = await startWrites()
  const audit = { ...log.section, include_request_body: true }
  const { url, gateway, metrics } = await startGateway({
    plugins: { 'otel-audit': audit },
    routes: routes(target),
  })
  await send(url, 3)
  const written = 'agentic_plugin_otelaudit_emit_total{exporter="file",outcome="ok"} 3'
  await expect.poll(metrics).toContain(written)
  await gateway.close()
  const [opened, first] = linesOf(log.file)
  expect(opened).toMatchObject({ seq: 0, event_type: 'agentic.audit.opened' })
  const body_sha256 = hash('sha256', 'body 0')
  expect(first).toMatchObject({
    seq: 1,
    tenant_id: 'acme',
    request_id: 'r-0',
    outcome: 'success',
    body_sha256,
  })
  expect(readFileSync(log.file, 'utf8')).not.toContain('body 0')
  expect(linesOf(join(log.folder, 'audit.bodies'))[0]).toEqual({
    request_id: 'r-0',
    body_sha256,
    body: 'body 0',
  })
  expect(await log.verify()).toMatchObject({ faults: [], size: 4, sealedSize: 4 })
})

it('is plain JSON lines without a seal', async () => {
  const log = sealFolder()
  const { url: target } = await startWrites()
  const { seal: _, ...audit } = log.section
  const { url, gateway } = await startGateway({ plugins: { 'otel-audit': audit }, routes: routes(target) })
  await send(url)
  await gateway.close()
  expect(linesOf(log.file)).toMatchObject([{ event_type: 'agentic.request.received', request_id: 'r-0' }])
  expect(linesOf(log.file)[0]).not.toHaveProperty('seq')
})

it('a file that cannot be written changes no answer, is counted, logged and told by readiness', async () => {
  const log = sealFolder()
  writeFileSync(join(log.folder, 'place'), '')
  const { url: target } = await startWrites()
  const audit = { ...log.section, file: join(log.folder, 'place', 'audit.jsonl') }
  const {
    url,
    metrics,
    log: lines,
  } = await startGateway({ plugins: { 'otel-audit': audit }, routes: routes(target) })
  await send(url)
  await expect
    .poll(metrics)
    .toContain('agentic_plugin_otelaudit_emit_total{exporter="file",outcome="error"} 1')
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'audit records were dropped',
      exporter: 'file',
      records: 1,
    }),
  )
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'ready',
    degraded: ['otel-audit: otel-audit drops records'],
  })
})

it.each([
  [
    'no such file',
    (log: ReturnType<typeof sealFolder>) => join(log.folder, 'none.pem'),
    'cannot read the file (ENOENT)',
  ],
  [
    'no key',
    (log: ReturnType<typeof sealFolder>) => log.textFile('words'),
    'the key is not an Ed25519 private key in PEM',
  ],
])('does not start with %s as its key', async (_name, key, message) => {
  const log = sealFolder()
  const seal = { key_file: key(log), name: 'a.test' }
  const starting = startGateway({ plugins: { 'otel-audit': { ...log.section, seal } }, routes: [] })
  await expect(starting).rejects.toThrow(`plugins.otel-audit.seal.key_file: ${message}`)
})

it('does not start with a file that another gateway writes, and does when that one has ended', async () => {
  const log = sealFolder()
  const config = { plugins: { 'otel-audit': log.section }, routes: [] }
  const first = await startGateway(config)
  const refused =
    'plugins.otel-audit.file: another process writes this audit file; each writer needs a file of its own'
  await expect(startGateway(config)).rejects.toThrow(refused)
  await expect(startSupervisor({ ...config, gateway: { workers: 2 } })).rejects.toThrow(refused)
  await first.gateway.close()
  const next = await startGateway(config)
  await next.gateway.close()
})

it('does not append to a log that was cut, tells it in readiness, and writes to a new log', async () => {
  const log = sealFolder()
  const { url: target } = await startWrites()
  const head_file = join(log.folder, 'elsewhere', 'audit.head')
  mkdirSync(dirname(head_file))
  const config = { plugins: { 'otel-audit': { ...log.section, head_file } }, routes: routes(target) }
  const run = async (count: number) => {
    const { url, gateway } = await startGateway(config)
    await send(url, count)
    await gateway.close()
  }
  await run(2)
  const early = [log.file, log.checkpoints].map((file) => [file, readFileSync(file)] as const)
  await run(3)
  for (const [file, content] of early) writeFileSync(file, content)
  const { url, gateway, log: lines } = await startGateway(config)
  const degraded = async () => Object(await (await fetch(`${url}/readyz`)).json()).degraded
  await expect.poll(degraded).toEqual(['otel-audit: a log was not continued; verify it and move it away'])
  await send(url, 1)
  await gateway.close()
  const reason = 'the head file has a checkpoint of 7 lines, and only 3 are there'
  const [folder = ''] = readdirSync(log.folder).filter((name) => name.startsWith('audit.refused-'))
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'the audit log was not continued and a new one has begun',
      reason,
      folder,
    }),
  )
  for (const [file, content] of early)
    expect(readFileSync(join(log.folder, folder, basename(file)))).toEqual(content)
  expect(linesOf(log.file)).toMatchObject([
    { seq: 0, attributes: { refused_log: folder, refused_because: reason } },
    { seq: 1, request_id: 'r-0' },
  ])
  expect(await log.verify()).toMatchObject({ faults: [], size: 2 })
})

it('goes on with a log when its head file is missing, and writes it again', async () => {
  const log = sealFolder()
  const config = { plugins: { 'otel-audit': log.section }, routes: [] }
  for (const lines of [1, 2]) {
    const { gateway } = await startGateway(config)
    await gateway.close()
    expect(linesOf(log.file)).toHaveLength(lines)
    expect(readFileSync(log.checkpoints, 'utf8').endsWith(readFileSync(log.head, 'utf8'))).toBe(true)
    rmSync(log.head)
  }
})

it('posts each checkpoint to the anchor, and readiness tells when it is away', async () => {
  const log = sealFolder()
  const { url: target } = await startWrites()
  let status = 503
  const statuses: number[] = []
  const anchor = await startUpstream((_request, response) => {
    statuses.push(status)
    response.writeHead(status).end()
  })
  const audit = {
    ...log.section,
    anchor: { url: `${anchor.url}/checkpoints` },
    rotate: { max_bytes: 65_536 },
    attributes: [{ field: 'large', from_header: 'X-Large' }],
  }
  const { url, gateway } = await startGateway({ plugins: { 'otel-audit': audit }, routes: routes(target) })
  // A file that is closed ends with a checkpoint.
  await send(url, 12, { 'X-Large': 'x'.repeat(7_000) })
  const degraded = async () => Object(await (await fetch(`${url}/readyz`)).json()).degraded
  await expect.poll(degraded).toEqual(['otel-audit: checkpoints do not reach the anchor'])
  status = 204
  await gateway.close()
  const notes = anchor.requests.map(({ body }) => body.toString())
  const answeredWith = (wanted: number) => notes.filter((_, index) => statuses[index] === wanted)
  const accepted = answeredWith(204)
  // How records are grouped into writes decides how many files are closed meanwhile. The anchor refused the first
  // checkpoint until it was back, and then got every one of them once.
  expect(accepted.join('\n')).toBe(readFileSync(log.checkpoints, 'utf8'))
  expect(accepted.length).toBeGreaterThanOrEqual(2)
  expect(new Set(answeredWith(503))).toEqual(new Set(accepted.slice(0, 1)))
})

it('several workers write one log through their supervisor, also when one is killed', async () => {
  const log = sealFolder()
  const { url: target } = await startWrites()
  const others = childProcesses()
  const {
    supervisor,
    url,
    log: lines,
  } = await startSupervisor({
    gateway: { workers: 2, drain_seconds: 1 },
    plugins: { 'otel-audit': log.section },
    routes: routes(target),
  })
  await Promise.all([send(url, 20), send(url, 20)])
  await expect.poll(() => linesOf(log.file).length).toBe(41)
  const [worker = 0] = childProcesses().filter((pid) => !others.includes(pid))
  process.kill(worker, 'SIGKILL')
  const isReplaced = () => lines.some(({ msg }) => msg === 'a worker has taken the place of one that ended')
  await expect.poll(isReplaced, { timeout: 20_000 }).toBe(true)
  await send(url, 5)
  await supervisor.drain()
  expect(await log.verify()).toMatchObject({ faults: [], size: 46, sealedSize: 46 })
})

function childProcesses(): number[] {
  const { pid } = process
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
}
