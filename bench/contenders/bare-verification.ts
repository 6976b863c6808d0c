import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cpuMicroseconds } from '../cpu-time.ts'

/**
 * The floor of a new token: one RS256 verification by `node:crypto`, synchronously and with a kept key object. Arguments:
 * a file with tokens, the key set of their issuer. Prints the CPU time of one verification, in microseconds.
 */
const [tokensFile = '', jwksFile = ''] = process.argv.slice(2)
const { keys } = JSON.parse(readFileSync(jwksFile, 'utf8'))
const key = createPublicKey({ key: keys[0], format: 'jwk' })
const signed = readFileSync(tokensFile, 'utf8').trim().split('\n').map(partsOf)

// The first pass is the warm-up.
verifyAll()
const before = cpuMicroseconds(process.pid)
verifyAll()
process.stdout.write(`${(cpuMicroseconds(process.pid) - before) / signed.length}\n`)

function partsOf(token: string) {
  const end = token.lastIndexOf('.')
  return { text: Buffer.from(token.slice(0, end)), signature: Buffer.from(token.slice(end + 1), 'base64url') }
}

function verifyAll(): void {
  for (const { text, signature } of signed)
    if (!verify('sha256', text, key, signature)) throw new Error('a signature is wrong')
}
