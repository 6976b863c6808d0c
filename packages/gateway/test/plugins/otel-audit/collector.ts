import { readFileSync } from 'node:fs'
import type { Server as TcpServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Metadata, Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

/** A span as received. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: string
  readonly startMs: number
  readonly endMs: number
  readonly status: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly resource: Readonly<Record<string, string | number>>
}

/** A collector that decodes requests with the published OTLP definitions. */
export interface Collector {
  readonly port: number
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** The number of spans of each request. */
  readonly batches: number[]
  readonly metadata: Metadata[]
  /** Answers batches with this gRPC status from now on; 0 is success. */
  answerWith(code: number): void
  /** Resolves when `count` spans have arrived. */
  arrived(count: number): Promise<void>
  /** Cuts every connection and stops listening. */
  kill(): void
}

const protoFolder = fileURLToPath(new URL('./proto', import.meta.url))
const definitions = loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto', {
  includeDirs: [protoFolder],
  enums: String,
  longs: String,
  defaults: true,
})
const traceService = definitions['opentelemetry.proto.collector.trace.v1.TraceService'] as ServiceDefinition

interface WireAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: unknown }
}
interface WireLink {
  readonly traceId: Buffer
  readonly spanId: Buffer
}
interface WireSpan extends WireLink {
  readonly parentSpanId: Buffer
  readonly name: string
  readonly kind: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly WireAttribute[]
  readonly links: readonly WireLink[]
  readonly status: { readonly code: string }
}
interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

/** The certificate of a collector with TLS. */
export const certificateFile = fileURLToPath(new URL('./tls/collector.crt', import.meta.url))

/** How a collector listens. */
export interface CollectorOptions {
  /** A free port by default. */
  readonly port?: number
  readonly tls?: boolean
}

/** Starts a collector. */
export async function startCollector({ port = 0, tls = false }: CollectorOptions = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const batches: number[] = []
  const metadata: Metadata[] = []
  const waiting = new Set<() => void>()
  let answerCode: number = status.OK
  const server = new Server()
  server.addService(traceService, {
    Export(
      call: { request: WireRequest; metadata: Metadata },
      answer: (error: object | null, body?: object) => void,
    ) {
      metadata.push(call.metadata)
      if (answerCode !== status.OK) return answer({ code: answerCode, details: 'told to fail' })
      const received = decode(call.request)
      spans.push(...received)
      batches.push(received.length)
      for (const check of waiting) check()
      return answer(null, {})
    },
  })
  const bound = await listen(server, port, tls ? tlsCredentials() : ServerCredentials.createInsecure())
  return {
    port: bound,
    url: tls ? `https://localhost:${bound}` : `http://127.0.0.1:${bound}`,
    spans,
    batches,
    metadata,
    answerWith: (code) => {
      answerCode = code
    },
    arrived: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (spans.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    kill: () => server.forceShutdown(),
  }
}

function tlsCredentials(): ServerCredentials {
  const key = readFileSync(new URL('./tls/collector.key', import.meta.url))
  return ServerCredentials.createSsl(null, [{ cert_chain: readFileSync(certificateFile), private_key: key }])
}

function listen(server: Server, port: number, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
}

function decode({ resourceSpans }: WireRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...idsOf(span),
        parentSpanId: span.parentSpanId.toString('hex'),
        name: span.name,
        kind: span.kind,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        status: span.status.code,
        attributes: plain(span.attributes),
        links: span.links.map(idsOf),
        resource: plain(resource.attributes),
      })),
    ),
  )
}

function idsOf({ traceId, spanId }: WireLink) {
  return { traceId: traceId.toString('hex'), spanId: spanId.toString('hex') }
}

function plain(attributes: readonly WireAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  )
}

/** Starts a TCP server on a free port. */
export function listenTcp(server: TcpServer): Promise<TcpServer> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

/** The port of a listening server. */
export function portOf(server: TcpServer): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
