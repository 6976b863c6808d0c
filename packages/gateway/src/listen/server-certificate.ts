import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { readCertificates, readPem } from '../config/read-pem.ts'
import { InitialisationError } from '../errors.ts'

/** Certificate chain and key of the listener, as PEM. */
export interface ServerCertificate {
  readonly cert: string
  readonly key: string
}

/** Reads and checks the certificate, so that a bad one fails at start and not at a handshake. */
export function loadServerCertificate(files: {
  readonly cert_file: string
  readonly key_file: string
}): ServerCertificate {
  const [certificate, ...chain] = readCertificates(files.cert_file, 'gateway.tls.cert_file')
  const key = readPem(files.key_file, 'gateway.tls.key_file')
  checkKey(certificate, key)
  checkDates(certificate)
  const loaded = { cert: [certificate, ...chain].map(String).join(''), key }
  checkUse(loaded)
  return loaded
}

function checkKey(certificate: X509Certificate, key: string): void {
  const privateKey = attempt(
    () => createPrivateKey(key),
    () => 'gateway.tls.key_file is not a usable private key',
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new InitialisationError('gateway.tls.key_file does not belong to gateway.tls.cert_file')
}

function checkDates({ validFromDate, validToDate }: X509Certificate): void {
  const now = Date.now()
  if (validToDate.getTime() < now) throw new InitialisationError('gateway.tls.cert_file has expired')
  if (validFromDate.getTime() > now) throw new InitialisationError('gateway.tls.cert_file is not valid yet')
}

/** TLS refuses some pairs by itself, such as a key that is too short. */
function checkUse(certificate: ServerCertificate): void {
  attempt(
    () => createSecureContext({ ...certificate }),
    (error) => `gateway.tls cannot be used (${error.code ?? 'unknown error'})`,
  )
}

function attempt<T>(run: () => T, message: (error: NodeJS.ErrnoException) => string): T {
  try {
    return run()
  } catch (cause) {
    throw new InitialisationError(message(cause as NodeJS.ErrnoException), { cause })
  }
}
