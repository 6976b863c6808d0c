import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { readCertificates, readNamedFile } from '../config/read-files.ts'
import { InitialisationError } from '../errors.ts'

/** Certificate chain and key of the listener, as PEM. */
export interface ServerCertificate {
  readonly cert: string
  readonly key: string
}

/** Reads and checks the certificate of a section, so that a bad one fails at start and not at a handshake. */
export function loadServerCertificate(
  files: { readonly cert_file: string; readonly key_file: string },
  section: string,
): ServerCertificate {
  const [certificate, ...chain] = readCertificates(files.cert_file, `${section}.cert_file`)
  const key = readNamedFile(files.key_file, `${section}.key_file`)
  checkKey(certificate, key, section)
  checkDates(certificate, section)
  const loaded = { cert: [certificate, ...chain].map(String).join(''), key }
  checkUse(loaded, section)
  return loaded
}

function checkKey(certificate: X509Certificate, key: string, section: string): void {
  const privateKey = attempt(
    () => createPrivateKey(key),
    () => `${section}.key_file is not a usable private key`,
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new InitialisationError(`${section}.key_file does not belong to ${section}.cert_file`)
}

function checkDates({ validFromDate, validToDate }: X509Certificate, section: string): void {
  const now = Date.now()
  if (validToDate.getTime() < now) throw new InitialisationError(`${section}.cert_file has expired`)
  if (validFromDate.getTime() > now) throw new InitialisationError(`${section}.cert_file is not valid yet`)
}

/** TLS refuses some pairs by itself, such as a key that is too short. */
function checkUse(certificate: ServerCertificate, section: string): void {
  attempt(
    () => createSecureContext({ ...certificate }),
    (error) => `${section} cannot be used (${error.code ?? 'unknown error'})`,
  )
}

function attempt<T>(run: () => T, message: (error: NodeJS.ErrnoException) => string): T {
  try {
    return run()
  } catch (cause) {
    throw new InitialisationError(message(cause as NodeJS.ErrnoException), { cause })
  }
}
