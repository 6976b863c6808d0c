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
  /** Tells the clients of all endpoints that the list of tools has changed. */
  toolsChanged(): void
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
  /** How many processes take turns, in effect: each request goes to the next endpoint. */
  readonly instances?: number
}

const secrets = ['a secret of at least thirty-two bytes']
const caller: Caller = { issuer: 'https://id.example.com', subject: 'tester', tenant: 'acme' }

/** Serves an endpoint over HTTP, in the smallest way that a gateway would. */
export async function startMcpServer(options: McpServerOptions): Promise<McpServer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const errors: unknown[] = []
  const endpoints = createEndpoints(url, options, (error) => errors.push(error))
  let turn = 0
  server.on('request', (request, response) => {
    const endpoint = endpoints[turn++ % endpoints.length] as Endpoint
    answer(endpoint, url, { request, response }).catch((error: unknown) => {
      errors.push(error)
      response.destroy()
    })
  })
  return {
    url,
    errors,
    toolsChanged: () => {
      for (const endpoint of endpoints) endpoint.toolsChanged()
    },
    async stop() {
      for (const endpoint of endpoints) endpoint.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Endpoints that share nothing but their secrets, and pass answers on to each other. */
function createEndpoints(
  publicUrl: string,
  { host, legacy = 'sessions', instances = 1 }: McpServerOptions,
  onError: (error: unknown) => void,
): readonly Endpoint[] {
  const environment = systemEnvironment
  const endpoints: Endpoint[] = Array.from({ length: instances }, (_, index) => {
    const seal = createSeal({ secrets, publicUrl, environment })
    return createEndpoint({
      host: host({ publicUrl, seal, environment }),
      environment,
      seal,
      serverInfo: { name: 'fixture', version: '1.0.0' },
      legacy,
      listTtlSeconds: () => 300,
      instance: `w${index + 1}`,
      relay: (message) => {
        for (const other of endpoints) other.receive(message)
      },
      onError,
    })
  })
  return endpoints
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
