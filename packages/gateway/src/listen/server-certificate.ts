import { createPrivateKey, X509Certificate } from 'node:crypto'
import { InitialisationError } from '../plugin.ts'
import { readPem } from '../read-pem.ts'

/** Certificate and key of the listener, as PEM. */
export interface ServerCertificate {
  readonly cert: string
  readonly key: string
}

/** Reads the certificate and checks that it can be used, so that a bad one fails at start and not at a handshake. */
export function loadServerCertificate(files: {
  readonly cert_file: string
  readonly key_file: string
}): ServerCertificate {
  const cert = readPem(files.cert_file, 'gateway.tls.cert_file')
  const key = readPem(files.key_file, 'gateway.tls.key_file')
  const certificate = parse(() => new X509Certificate(cert), 'gateway.tls.cert_file is not a PEM certificate')
  const privateKey = parse(() => createPrivateKey(key), 'gateway.tls.key_file is not a usable private key')
  if (!certificate.checkPrivateKey(privateKey))
    throw new InitialisationError('gateway.tls: the key does not belong to the certificate')
  if (certificate.validToDate.getTime() < Date.now())
    throw new InitialisationError('gateway.tls: the certificate has expired')
  return { cert, key }
}

function parse<T>(read: () => T, message: string): T {
  try {
    return read()
  } catch (cause) {
    throw new InitialisationError(message, { cause })
  }
}
