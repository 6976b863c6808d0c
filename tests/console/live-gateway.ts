import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { createInterface } from 'node:readline'
import { outcomes } from '@agentic-rest/profile'
import { freePort } from '@agentic-rest/testing/free-port'
import { openServer } from '@agentic-rest/testing/open-server'
import { SignJWT } from 'jose'

const secret = 'a shared secret of the tests, long enough'
const issuer = 'https://id.example.test'
// Longer than the first request to a new process takes on a loaded machine.
const SLOW_MS = 2000

interface Sender {
  readonly actor: string
  readonly tenant: string
  /** The id of the request; the gateway makes one by default. */
  readonly requestId?: string
}

/** A gateway with a console, in a process of its own, so that a signal can stop it. */
export interface LiveGateway {
  readonly adminUrl: string
  /** Sends a request as somebody of a tenant; without a name it has no token. */
  send(path: string, who?: Sender): Promise<number>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  close(): Promise<void>
}

/** Starts the gateway and an upstream. Routes: `/items/x`, `/slow/x`, `/broken/x` (not of the profile), `/gone/x` (nobody listens). */
export async function startLiveGateway(): Promise<LiveGateway> {
  const upstream = await openServer((request, response) => {
    const answer = () => {
      const isBroken = request.url?.startsWith('/broken') === true
      const { status, mediaType } = isBroken ? outcomes.approval_required : outcomes.success
      response.writeHead(status, { 'content-type': mediaType }).end('{}')
    }
    // Wait: the upstream is slow on purpose.
    if (request.url?.startsWith('/slow') === true) setTimeout(answer, SLOW_MS)
    else answer()
  })
  const target = upstream.url
  const nobody = `http://127.0.0.1:${await freePort()}`
  const route = (id: string, to = target) => ({
    id,
    method: 'GET',
    path: `/${id}/{id}`,
    target: to,
    conformance: 'enforce',
  })
  const { child, ports } = await startProcess({
    gateway: { admin: { port: 0 } },
    plugins: {
      'token-validator': {
        issuers: [{ issuer, audience: ['agentic'], algorithms: ['HS256'], hs256_secret: secret }],
      },
    },
    routes: [route('items'), route('slow'), route('broken'), route('gone', nobody)],
  })
  const [port = 0, adminPort = 0] = ports
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const tokens = new Map<string, Promise<string>>()
  return {
    adminUrl: `http://127.0.0.1:${adminPort}`,
    async send(path, who) {
      const headers: Record<string, string> = {}
      if (who !== undefined) {
        const name = `${who.actor} of ${who.tenant}`
        const token = tokens.get(name) ?? tokenOf(who)
        tokens.set(name, token)
        headers['authorization'] = `Bearer ${await token}`
        if (who.requestId !== undefined) headers['x-request-id'] = who.requestId
      }
      return await statusOf(`http://127.0.0.1:${port}${path}`, agent, headers)
    },
    signal: (name) => void child.kill(name),
    async close() {
      agent.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
      await upstream.close()
    },
  }
}

async function startProcess(config: object) {
  const script = `${import.meta.dirname}/run-live-gateway.ts`
  const child = spawn(process.execPath, ['--conditions=agentic-source', script, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // An import of the console builds it and may say so before.
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('[')) return { child, ports: JSON.parse(line) as number[] }
  throw new Error('the gateway ended before it was ready')
}

function tokenOf({ actor, tenant }: Sender): Promise<string> {
  return new SignJWT({ tenant_id: tenant })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('agentic')
    .setSubject(actor)
    .setExpirationTime('1h')
    .sign(Buffer.from(secret))
}

function statusOf(url: string, agent: Agent, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })
}
