import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** The client at the other end of a connection. */
export interface Peer {
  readonly clientAddress: string
  readonly protocol: 'http' | 'https'
  /** SHA-256 of the client's valid certificate, in base64url. */
  readonly certificateDigest?: string | undefined
}

/** Reads what a connection tells about its client. */
export function peerOf(socket: Socket): Peer {
  return {
    // On a listener for both families an IPv4 client shows as `::ffff:192.0.2.1`.
    clientAddress: socket.remoteAddress?.replace(/^::ffff:(?=[\d.]+$)/, '') ?? '',
    protocol: (socket as Partial<TLSSocket>).encrypted ? 'https' : 'http',
    certificateDigest: digestOfCertificate(socket as Partial<TLSSocket>),
  }
}

/**
 * The digest that a token names as `x5t#S256` (RFC 8705, section 3.1). An invalid certificate counts as none. A resumed
 * session without a certificate counts as authorized in Node: only a certificate proves anything.
 */
function digestOfCertificate(socket: Partial<TLSSocket>): string | undefined {
  if (socket.authorized !== true) return undefined
  const certificate = socket.getPeerX509Certificate?.()
  return certificate && hash('sha256', certificate.raw, 'base64url')
}
