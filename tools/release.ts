import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Ended, installTogether, packAll } from '../tests/packed-packages.ts'
import { writeSboms } from './sbom.ts'

/** The SHA-256 of each file of a release, in the format of `sha256sum --check`. */
export const sumsFile = 'SHA256SUMS'

/** Packs all published packages into a folder, with a bill of materials and checksums. */
export async function release(folder: string): Promise<void> {
  const packed = await packAll(folder)
  const installed = mkdtempSync(join(tmpdir(), 'agentic-release-'))
  try {
    for (const { packing } of packed.slice(0, 1)) demandSuccess(packing)
    demandSuccess(installTogether(installed, packed))
    describeRelease(folder, installed)
  } finally {
    rmSync(installed, { recursive: true, force: true })
  }
}

/** Adds the bill of materials and the checksums to a folder of packed packages. */
export function describeRelease(folder: string, installed: string): void {
  writeSboms(installed, folder)
  writeSums(folder)
}

function writeSums(folder: string): void {
  const files = readdirSync(folder).filter((file) => file !== sumsFile)
  const lines = files.toSorted().map((file) => `${sha256(join(folder, file))}  ${file}\n`)
  writeFileSync(join(folder, sumsFile), lines.join(''))
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function demandSuccess({ status, output }: Ended): void {
  if (status !== 0) throw new Error(output)
}

const USAGE = `usage: npm run release -- FOLDER

Packs every package that is published into FOLDER, which must not exist or be empty, and writes beside them
a bill of materials in CycloneDX and SPDX and the sums of all files.`

/** Existing files would become part of the release. */
function obstacleIn(folder: string): string | undefined {
  const isEmpty = !existsSync(folder) || readdirSync(folder).length === 0
  return isEmpty ? undefined : `${folder} is not empty: name a folder that is empty or does not exist`
}

if (process.argv[1] === import.meta.filename) {
  const [folder = '--help', ...others] = process.argv.slice(2)
  const fault = folder.startsWith('-') || others.length > 0 ? USAGE : obstacleIn(folder)
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`)
    process.exit(folder === '--help' && process.argv.length > 2 ? 0 : 2)
  }
  await release(resolve(folder))
  process.stdout.write(`${readFileSync(join(folder, sumsFile), 'utf8')}`)
}
