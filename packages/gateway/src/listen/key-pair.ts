import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { loadTls } from '@agentic-rest/http1'
import type { GatewaySection } from '../config/config-schema.ts'
import { readCertificates, readNamedFile } from '../config/read-files.ts'
import { InitialisationError } from '../errors.ts'

type TlsSection = NonNullable<GatewaySection['tls']>

/** A certificate chain and its key, as PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** A file and the configuration key that names it. */
export interface NamedFile {
  readonly file: string
  readonly name: string
}

/** The two files of a key pair. */
export interface KeyPairFiles {
  readonly cert: NamedFile
  readonly key: NamedFile
  /** The name of both together in messages. */
  readonly name: string
}

/** Reads and checks a certificate with its key, so that a bad one fails at start and not at a handshake. */
export function loadKeyPair(files: KeyPairFiles): KeyPair {
  const [certificate, ...chain] = readCertificates(files.cert.file, files.cert.name)
  const key = readNamedFile(files.key.file, files.key.name)
  checkKey(certificate, key, files)
  checkDates(certificate, files.cert.name)
  const loaded = { cert: [certificate, ...chain].map(String).join(''), key }
  checkUse(loaded, files.name)
  return loaded
}

/** The certificate of a listener, the certificates it asks its clients for, and the protocols it offers them. */
export interface ServerCertificate extends KeyPair {
  readonly http2: boolean
  readonly clients?: ClientCertificates
}

/** The certificates of clients that a listener accepts. */
export interface ClientCertificates {
  /** The trusted authorities, as PEM. */
  readonly ca: readonly string[]
  /** Whether a client without a valid certificate gets no connection. */
  readonly required: boolean
}

/** Reads and checks the files of a listener's section. */
export function loadServerCertificate(section: TlsSection, name: string): ServerCertificate {
  const { cert_file, key_file, client_ca_file } = section
  const pair = loadKeyPair({
    cert: { file: cert_file, name: `${name}.cert_file` },
    key: { file: key_file, name: `${name}.key_file` },
    name,
  })
  const certificate = { ...pair, http2: section.http2 }
  if (client_ca_file === undefined) return certificate
  const ca = readCertificates(client_ca_file, `${name}.client_ca_file`).map(String)
  return { ...certificate, clients: { ca, required: section.client_certificate === 'require' } }
}

function checkKey(certificate: X509Certificate, text: string, { cert, key }: KeyPairFiles): void {
  const privateKey = attempt(
    () => createPrivateKey(text),
    () => `${key.name} is not a usable private key`,
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new InitialisationError(`${key.name} does not belong to ${cert.name}`)
}

function checkDates({ validFromDate, validToDate }: X509Certificate, name: string): void {
  const now = Date.now()
  if (validToDate.getTime() < now) throw new InitialisationError(`${name} has expired`)
  if (validFromDate.getTime() > now) throw new InitialisationError(`${name} is not valid yet`)
}

/** TLS refuses some pairs by itself, such as a key that is too short. */
function checkUse(pair: KeyPair, name: string): void {
  attempt(
    () => loadTls().createSecureContext({ ...pair }),
    (error) => `${name} cannot be used (${error.code ?? 'unknown error'})`,
  )
}

function attempt<T>(run: () => T, message: (error: NodeJS.ErrnoException) => string): T {
  try {
    return run()
  } catch (cause) {
    throw new InitialisationError(message(cause as NodeJS.ErrnoException), { cause })
  }
}
