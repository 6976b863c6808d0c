import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createNoteSigner, noteNameFault } from '@agentic-rest/audit-log'
import { exitCodes, type Host } from '../host.ts'

interface KeygenOptions {
  readonly name: string | undefined
  readonly output: string | undefined
  readonly files: readonly string[]
}

/** Writes a new private key and prints its verifier key. */
export function keygen({ name, output, files }: KeygenOptions, host: Host): number {
  if (files.length > 0) return refuse(host, `unexpected argument ${JSON.stringify(files[0])}`)
  if (name === undefined) return refuse(host, '--name NAME is missing')
  if (output === undefined) return refuse(host, '-o FILE is missing')
  const fault = noteNameFault(name)
  if (fault !== undefined) return refuse(host, `--name ${fault}`)
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
  try {
    // A key that a log is signed with must never be lost.
    writeFileSync(output, pem, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'exists and is not overwritten' : `cannot be written (${code})`
    return refuse(host, `${output} ${reason}`)
  }
  host.stdout.write(`${createNoteSigner(name, pem).verifierKey}\n`)
  return exitCodes.ok
}

function refuse({ stderr }: Host, fault: string): number {
  stderr.write(`agentic audit keygen: ${fault}\n`)
  return exitCodes.invalid
}
