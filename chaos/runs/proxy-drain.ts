import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { headers } from '@agentic-rest/profile'
import { freePort } from '@agentic-rest/testing/free-port'
import { programPath } from '@agentic-rest/testing/programs'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { startPinned } from '../../bench/pinned-process.ts'
import { nginxConfig } from '../../bench/upstream.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { createSeeded } from '../seeded.ts'

/** Gateways behind nginx that drain one after the other while their event loops are late. */
export const run: ChaosRun = {
  name: 'proxy-drain',
  title: 'drains behind nginx with late event loops: no request is lost',
  // With `kill` they are killed instead, which loses requests. `lateMs` is the longest block of an event loop.
  short: { drains: 4, callers: 6, streams: 4, lateMs: 700, kill: 0 },
  full: { drains: 200, callers: 6, streams: 4, lateMs: 700, kill: 0 },
  run: drainBehindProxy,
}

const DRAIN_DELAY_SECONDS = 1
/** Shorter than the delay, as deploy/proxy/nginx.conf has it. */
const PROXY_IDLE_MS = 500
const STREAM_MS = { shortest: 200, longest: 2500 }
const LAST_EVENT = 'data: last\n\n'

async function drainBehindProxy(context: ChaosContext): Promise<readonly Figure[]> {
  const service = await startTimedService(context)
  const ports = [await freePort(), await freePort()] as const
  const start = (index: number) =>
    startLateGateway(context, { port: ports[index % 2] ?? 0, target: service.url, index })
  const gateways = [await start(0), await start(1)]
  const proxy = await startNginx(context, ports)
  const state = { isStopped: false }
  const callers = startCallers(context, { url: proxy.url, state })
  const exits: (number | null)[] = []
  try {
    for (let index = 0; index < scaled(context, 'drains') && !context.signal.aborted; index += 1) {
      const gateway = gateways[index % 2] as GatewayProcess
      gateway.kill(scaled(context, 'kill') > 0 ? 'SIGKILL' : 'SIGTERM')
      exits.push((await gateway.ended).code)
      gateways[index % 2] = await start(index + 2)
      if (exits.length % 10 === 0) context.tell(`proxy-drain: ${exits.length} drains`)
    }
    state.isStopped = true
    const answers = (await Promise.all(callers)).flat()
    return figuresOf(context, { exits, answers, served: service.served() })
  } finally {
    state.isStopped = true
    await Promise.allSettled(callers)
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    await proxy.stop()
    service.close()
  }
}

/** Answers calls at once; a stream ends after a while, so that connections are promised in every part of a drain. */
async function startTimedService({ seed }: ChaosContext) {
  const seeded = createSeeded(seed, 1)
  let served = 0
  const server = createServer((incoming, response) => {
    served += 1
    incoming.resume()
    if (incoming.url === '/call') {
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
      return
    }
    response.setHeader('content-type', 'text/event-stream').write('data: first\n\n')
    setTimeout(() => response.end(LAST_EVENT), seeded.between(STREAM_MS.shortest, STREAM_MS.longest))
  })
  // The gateways close idle connections first.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served: () => served,
    close: () => void server.close().closeAllConnections(),
  }
}

interface Lateness {
  readonly longestMs: number
  readonly seed: number
  /** Which gateway it is: no two are late at the same times. */
  readonly index: number
}

/** Blocks the event loop now and then, in a phase after which timers come before sockets. */
const lateLoop = ({ longestMs, seed, index }: Lateness) => `
import { createSeeded } from '${new URL('../seeded.ts', import.meta.url)}'
const seeded = createSeeded(${seed}, ${2 + index})
const cell = new Int32Array(new SharedArrayBuffer(4))
const block = () => {
  Atomics.wait(cell, 0, 0, seeded.between(0, ${longestMs}))
  later()
}
const later = () => setTimeout(() => setImmediate(block), seeded.between(0, 400)).unref()
later()`

function startLateGateway(
  context: ChaosContext,
  { port, target, index }: { readonly port: number; readonly target: string; readonly index: number },
): Promise<GatewayProcess> {
  const program = encodeURIComponent(
    lateLoop({ longestMs: scaled(context, 'lateMs'), seed: context.seed, index }),
  )
  return startGatewayProcess({
    folder: context.folder,
    name: `gateway-${index}`,
    nodeArguments: ['--import', `data:text/javascript,${program}`],
    config: {
      gateway: {
        port,
        drain_delay_seconds: DRAIN_DELAY_SECONDS,
        drain_seconds: 10,
        llm: { max_sse_connections_per_tenant: 1000 },
      },
      routes: [
        { id: 'call', method: 'POST', path: '/call', target },
        { id: 'events', method: 'POST', path: '/events', target, mode: 'sse' },
      ],
    },
  })
}

async function startNginx({ folder }: ChaosContext, gateways: readonly [number, number]) {
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  const servers = gateways.map((each) => `    server 127.0.0.1:${each} max_fails=0;`).join('\n')
  const server = `  upstream gateways {
${servers}
    keepalive 64;
    keepalive_timeout ${PROXY_IDLE_MS}ms;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_next_upstream error;
    }
  }`
  writeFileSync(config, nginxConfig({ folder, server }))
  const command = [programPath('nginx'), '-p', folder, '-c', config, '-e', errorLog(folder)]
  const { stop } = await startPinned({ command, core: '0-1023', port })
  return { url: `http://127.0.0.1:${port}`, stop }
}

const errorLog = (folder: string) => join(folder, 'nginx-errors.log')

/** What nginx wrote last about an error. */
function lastError({ folder }: ChaosContext): string {
  return readFileSync(errorLog(folder), 'utf8').trimEnd().split('\n').at(-1) ?? ''
}

interface Load {
  readonly url: string
  readonly state: { readonly isStopped: boolean }
}

/** Callers that send one request after the other; each resolves with what it got. */
function startCallers(context: ChaosContext, { url, state }: Load): Promise<string[]>[] {
  const call = async (path: string, expected: string) => {
    const answers: string[] = []
    while (!state.isStopped && !context.signal.aborted) {
      const answer = await post(`${url}${path}`)
      const isWhole = answer.startsWith('200 ') && answer.endsWith(expected)
      answers.push(isWhole ? 'served' : answer)
      if (!isWhole) context.tell(`proxy-drain: lost: ${path} ${answer.slice(0, 200)}; ${lastError(context)}`)
      // Callers ask at a pace.
      await wait(20)
    }
    return answers
  }
  return [
    ...Array.from({ length: scaled(context, 'callers') }, () => call('/call', '{"ok":true}')),
    ...Array.from({ length: scaled(context, 'streams') }, () => call('/events', LAST_EVENT)),
  ]
}

/** The status and body of a POST on a connection of its own; or why there is none. */
function post(url: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', [headers.tenantId]: 'acme' },
    })
    sent.on('error', ({ message }) => resolve(message))
    sent.on('response', (response) => {
      text(response).then(
        (body) => resolve(`${response.statusCode} ${body}`),
        () => resolve(`${response.statusCode}, broken off`),
      )
    })
    sent.end('{}')
  })
}

interface Result {
  readonly exits: readonly (number | null)[]
  readonly answers: readonly string[]
  readonly served: number
}

function figuresOf(context: ChaosContext, { exits, answers, served }: Result): Figure[] {
  const lost = answers.filter((answer) => answer !== 'served').length
  const drains = scaled(context, 'drains')
  const none = { limit: 0, kind: 'exactly' } as const
  return [
    { name: 'drains', measured: exits.length, limit: drains, kind: 'exactly' },
    { name: 'requests', measured: answers.length, limit: drains * 10, kind: 'at least' },
    { name: 'requests that were lost', measured: lost, ...none },
    {
      name: 'requests that reached the service twice',
      measured: Math.max(0, served - answers.length),
      ...none,
    },
    { name: 'exit codes other than 0', measured: exits.filter((code) => code !== 0).length, ...none },
  ]
}
