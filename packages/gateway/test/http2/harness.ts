import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
} from 'node:http2'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { TestConfig } from '@agentic-rest/testing/config-text'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { onTestFinished } from 'vitest'
import type { RawResponse } from '../harness/raw-client.ts'

/** A gateway with TLS, and its clients. */
export interface SecureGateway extends TestGateway {
  readonly cert: string
  /** Opens a connection with HTTP/2. */
  open(options?: ClientSessionOptions): Promise<ClientHttp2Session>
  /** Opens a connection that has chosen HTTP/2, for frames of a test. */
  openSocket(): Promise<TLSSocket>
}

/** Starts a gateway with TLS; it ends with the test. */
export async function startSecure(config: TestConfig): Promise<SecureGateway> {
  const { cert, key } = makeCertificate()
  const files = writeFiles({ cert, key })
  const tls = { cert_file: files.cert, key_file: files.key }
  const started = await startGateway({ ...config, gateway: { tls, ...config.gateway } })
  const { port } = started
  return {
    ...started,
    cert,
    async open(options) {
      const session = connect(`https://127.0.0.1:${port}`, { ca: cert, ...options })
      session.on('error', () => undefined)
      onTestFinished(() => session.destroy())
      await once(session, 'connect')
      return session
    },
    async openSocket() {
      const socket = connectTls({ host: '127.0.0.1', port, ca: cert, ALPNProtocols: ['h2'] })
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      await once(socket, 'secureConnect')
      return socket
    },
  }
}

type Headers = Readonly<Record<string, string | readonly string[]>>

/** Sends a request with a tenant, and leaves its body to the caller where `method` is POST. */
export function request(session: ClientHttp2Session, path: string, headers: Headers = {}): ClientHttp2Stream {
  const stream = session.request({ ':path': path, 'x-tenant-id': 'acme', ...headers })
  stream.on('error', () => undefined)
  return stream
}

/** Reads an answer to its end. */
export async function answerOf(stream: ClientHttp2Stream): Promise<RawResponse> {
  const [headers, , fields] = await once(stream, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const { ':status': status, ...rest } = headers
  return { status, headers: { ...rest }, rawHeaders: fields, body: Buffer.concat(chunks).toString() }
}

/** Sends a request without a body and reads its answer. */
export function ask(session: ClientHttp2Session, path: string, headers: Headers = {}): Promise<RawResponse> {
  return answerOf(request(session, path, headers))
}
