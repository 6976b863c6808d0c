import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import { makeCertificate } from '@agentic-rest/testing/make-certificate'
import { openServer } from '@agentic-rest/testing/open-server'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { framePaths, makeFrameConversation } from '../fuzz/frame-conversation.ts'
import { createSeeded } from '../seeded.ts'
import { doAll } from '../workers.ts'

/** Sends malformed frames of HTTP/2. */
export const run: ChaosRun = {
  name: 'frames',
  title: 'malformed frames of HTTP/2',
  // `kill` ends the gateway before this connection, which the run has to notice.
  short: { connections: 150, kill: 0 },
  full: { connections: 30_000, kill: 0 },
  run: fuzzFrames,
}

const CLIENTS = 16
const EXECUTION_SECONDS = 2
const SETTLE_MS = 15_000

async function fuzzFrames(context: ChaosContext): Promise<readonly Figure[]> {
  const service = await openServer(answer)
  const errors: string[] = []
  const { gateway, certificate } = await startSecure(context, {
    target: service.url,
    onLogLine: (line) => void (line.includes('"level":"error"') && errors.push(line)),
  })
  try {
    const connections = await talkAll(context, gateway, certificate)
    const after = await settled(gateway)
    for (const line of errors.slice(0, 5)) context.tell(`frames: ${line}`)
    const end = gateway.end()
    if (end !== undefined)
      context.tell(`frames: the gateway ended, ${JSON.stringify(end)}\n${gateway.errors()}`)
    const none = { limit: 0, kind: 'exactly' } as const
    return [
      { name: 'connections', measured: connections, limit: scaled(context, 'connections'), kind: 'exactly' },
      { name: 'crashes', measured: end === undefined ? 0 : 1, ...none },
      { name: 'errors in the log', measured: errors.length, ...none },
      { name: 'good answers afterwards', measured: after.goodAnswers, limit: 1, kind: 'exactly' },
      { name: 'requests and streams that are still open', measured: after.gauges, ...none },
    ]
  } finally {
    await gateway.stop()
    await service.close()
  }
}

/** One way to answer for each path. */
const answers: Readonly<Record<string, RequestListener>> = {
  '/item': (request, response) =>
    void request.resume().on('end', () => response.writeHead(200).end('x'.repeat(30_000))),
  '/silent': () => undefined,
  '/broken': (_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half')
    setImmediate(() => response.destroy())
  },
  '/early': (_request, response) => void response.writeHead(200).end('early'),
  '/events': (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
}

const answer: RequestListener = (request, response) => answers[request.url ?? '']?.(request, response)

interface Secure {
  readonly target: string
  readonly onLogLine: (line: string) => void
}

async function startSecure({ folder }: ChaosContext, { target, onLogLine }: Secure) {
  const { cert: certificate, key } = makeCertificate()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, certificate)
  writeFileSync(keyFile, key)
  const common = { target, conformance: 'off', executionTimeoutSeconds: EXECUTION_SECONDS }
  const gateway = await startGatewayProcess({
    folder,
    certificate,
    onLogLine,
    config: {
      gateway: {
        tls: { cert_file: certFile, key_file: keyFile },
        limits: { max_body_bytes: 50_000 },
        llm: { max_sse_connections_per_tenant: 1000 },
      },
      routes: framePaths.flatMap((path) =>
        ['GET', 'POST'].map((method) => ({
          id: `${method}-${path.slice(1)}`,
          method,
          path,
          ...common,
          ...(path === '/events' && { mode: 'sse' }),
        })),
      ),
    },
  })
  return { gateway, certificate }
}

function talkAll(context: ChaosContext, gateway: GatewayProcess, ca: string): Promise<number> {
  const work = {
    count: scaled(context, 'connections'),
    workers: CLIENTS,
    signal: context.signal,
    progress: (done: number) => context.tell(`frames: ${done} connections`),
  }
  return doAll(work, async (index) => {
    if (index === scaled(context, 'kill') - 1) gateway.kill('SIGKILL')
    if (gateway.end() === undefined) await talk(context.seed, index, { port: gateway.port, ca })
  })
}

async function talk(
  seed: number,
  index: number,
  { port, ca }: { readonly port: number; readonly ca: string },
): Promise<void> {
  const { parts, reads, ends, staysMs } = makeFrameConversation(createSeeded(seed, index))
  const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'] })
  socket.on('error', () => undefined)
  const connected = Promise.withResolvers<void>()
  socket.once('secureConnect', connected.resolve).once('close', connected.resolve)
  await connected.promise
  if (reads) socket.resume()
  for (const part of parts)
    if (!socket.destroyed) await new Promise<void>((resolve) => socket.write(part, () => resolve()))
  await wait(staysMs)
  if (ends) socket.end()
  else socket.destroy()
  await wait(ends ? staysMs : 0)
  socket.destroy()
}

const GAUGES = /^agentic_gateway_(?:requests_in_flight|sse_connections_active)(?:\{.*\})? (\S+)$/gm

/** Sends a good request, and waits until the time of every request is over. */
async function settled(gateway: GatewayProcess) {
  if (gateway.end() !== undefined) return { goodAnswers: 0, gauges: Number.NaN }
  const { status } = await gateway.read('/healthz')
  const latest = performance.now() + SETTLE_MS
  for (;;) {
    const values = [...(await gateway.metrics()).matchAll(GAUGES)].map(([, value]) => Number(value))
    const gauges = values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0)
    if (gauges === 0 || performance.now() > latest) return { goodAnswers: status === 200 ? 1 : 0, gauges }
    await wait(50)
  }
}
