import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  type Caller,
  createEndpoint,
  createSeal,
  type Endpoint,
  type Environment,
  isAllowedOrigin,
  type LegacyMode,
  type Seal,
  systemEnvironment,
  type ToolHost,
} from '../../packages/mcp/src/index.ts'

/** A running server around an endpoint. */
export interface McpServer {
  readonly url: string
  readonly endpoint: Endpoint
  readonly errors: unknown[]
  stop(): Promise<void>
}

/** The parts of the server that a host needs. */
export interface HostParts {
  readonly publicUrl: string
  readonly seal: Seal
  readonly environment: Environment
}

export interface McpServerOptions {
  readonly host: (parts: HostParts) => ToolHost
  readonly legacy?: LegacyMode
}

const secrets = ['a secret of at least thirty-two bytes']
const caller: Caller = { issuer: 'https://id.example.com', subject: 'tester', tenant: 'acme' }

/** Serves an endpoint over HTTP, in the smallest way that a gateway would. */
export async function startMcpServer({ host, legacy = 'sessions' }: McpServerOptions): Promise<McpServer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const errors: unknown[] = []
  const environment = systemEnvironment
  const seal = createSeal({ secrets, publicUrl: url, environment })
  const endpoint = createEndpoint({
    host: host({ publicUrl: url, seal, environment }),
    environment,
    seal,
    serverInfo: { name: 'fixture', version: '1.0.0' },
    legacy,
    listTtlSeconds: 300,
    instance: 'w1',
    onError: (error) => errors.push(error),
  })
  server.on('request', (request, response) => {
    answer(endpoint, url, { request, response }).catch((error: unknown) => {
      errors.push(error)
      response.destroy()
    })
  })
  return {
    url,
    endpoint,
    errors,
    async stop() {
      endpoint.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface HttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function answer(
  endpoint: Endpoint,
  publicUrl: string,
  { request, response }: HttpExchange,
): Promise<void> {
  if (!isAllowedOrigin(request.headers, { publicUrl, origins: [] })) {
    response.writeHead(403).end()
    return
  }
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const body = parse(await text(request))
  const { method = 'GET', headers } = request
  const given = await endpoint.handle({ method, headers, body, caller, signal: gone.signal })
  response.writeHead(given.status, given.headers)
  if (given.body === undefined || typeof given.body === 'string') {
    response.end(given.body)
    return
  }
  response.flushHeaders()
  for await (const frame of given.body) {
    if (gone.signal.aborted) break
    response.write(frame)
  }
  response.end()
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
