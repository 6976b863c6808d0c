import { generateKeyPair } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { JWK, JWKS } from 'oidc-provider'

const MODULUS_BITS = 2048

/** The keys of an issuer: stored in the folder at the first start, or new ones without a folder. */
export async function loadSigningKeys(folder: string | undefined, issuer: string): Promise<JWKS> {
  if (folder === undefined) return await makeKeys()
  const file = join(folder, `${issuer}-keys.json`)
  const stored = await readFile(file, 'utf8').catch(ignoreAbsence)
  if (stored !== undefined) return JSON.parse(stored)
  const keys = await makeKeys()
  await mkdir(folder, { recursive: true })
  await writeWhole(file, JSON.stringify(keys))
  return keys
}

async function makeKeys(): Promise<JWKS> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })
  const jwk = privateKey.export({ format: 'jwk' }) as JWK
  return { keys: [{ ...jwk, use: 'sig', alg: 'RS256' }] }
}

/** Writes atomically: a killed process leaves the old or the new file, never a partial one. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, file)
}

function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
