import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A certificate and its private key, as PEM. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
  readonly name: string
  readonly privateKey: KeyObject
}

/** What a certificate says. Written by hand because Node cannot make one, and no tool must be installed for a test. */
export interface CertificateOptions {
  readonly name?: string
  /** Signs the certificate; without it the certificate signs itself. */
  readonly issuer?: TestCertificate
  readonly authority?: boolean
  readonly dnsNames?: readonly string[]
  /** Addresses as four bytes; 127.0.0.1 unless a test wants another. */
  readonly addresses?: readonly (readonly number[])[]
  readonly notBefore?: Date
  readonly notAfter?: Date
  readonly rsaBits?: number
}

const DAY_MS = 86_400_000

/** Makes a certificate for a server on the loopback address, valid today unless said otherwise (RFC 5280). */
export function makeCertificate(options: CertificateOptions = {}): TestCertificate {
  const { name = 'test', issuer, rsaBits } = options
  const { privateKey, publicKey } =
    rsaBits === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : generateKeyPairSync('rsa', { modulusLength: rsaBits })
  const signer = issuer?.privateKey ?? privateKey
  const algorithm = signatureAlgorithm(signer)
  const now = Date.now()
  const content = sequence(
    tagged(0xa0, integer([2])),
    integer([1, ...randomBytes(8)]),
    algorithm,
    distinguishedName(issuer?.name ?? name),
    sequence(
      time(options.notBefore ?? new Date(now - DAY_MS)),
      time(options.notAfter ?? new Date(now + DAY_MS)),
    ),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(options))),
  )
  const certificate = sequence(content, algorithm, bitString(sign('sha256', content, signer)))
  const base64 = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    name,
    privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

/** Writes texts into files of a folder that goes with the test, and returns where they are. */
export function writeFiles<K extends string>(texts: Readonly<Record<K, string>>): Record<K, string> {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const entries = Object.entries<string>(texts).map(([name, text]) => {
    const file = join(folder, `${name}.pem`)
    writeFileSync(file, text)
    return [name, file]
  })
  return Object.fromEntries(entries)
}

function extensions({
  authority = false,
  dnsNames = [],
  addresses = [[127, 0, 0, 1]],
}: CertificateOptions): Buffer[] {
  const names = [
    ...dnsNames.map((dnsName) => tagged(0x82, Buffer.from(dnsName))),
    ...addresses.map((address) => tagged(0x87, Buffer.from(address))),
  ]
  const constraints = sequence(...(authority ? [tagged(0x01, Buffer.from([0xff]))] : []))
  return [
    sequence(objectId([0x55, 0x1d, 0x13]), tagged(0x04, constraints)),
    sequence(objectId([0x55, 0x1d, 0x11]), tagged(0x04, sequence(...names))),
  ]
}

/** ecdsa-with-SHA256 or sha256WithRSAEncryption. */
function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Buffer {
  if (asymmetricKeyType === 'ec') return sequence(objectId([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))
  return sequence(
    objectId([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]),
    tagged(0x05, Buffer.alloc(0)),
  )
}

function distinguishedName(commonName: string): Buffer {
  const attribute = sequence(objectId([0x55, 0x04, 0x03]), tagged(0x0c, Buffer.from(commonName)))
  return sequence(tagged(0x31, attribute))
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return tagged(0x18, Buffer.from(digits))
}

function integer(bytes: readonly number[]): Buffer {
  return tagged(0x02, Buffer.from(bytes))
}

function objectId(bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes))
}

function bitString(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

/** One element of DER: tag, length, content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  // The shortest form is the only one allowed.
  const shortest = length >= 0x80 && length < 0x100 ? [0x81, length] : size
  return Buffer.concat([Buffer.from([tag, ...shortest]), content])
}
