import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { findProgram } from '@agentic-rest/testing/programs'
import { buildImage, type SystemPackage } from './image.ts'
import { type Ended, installTogether, packAll, repositoryRoot } from './packed-packages.ts'
import { type FileSum, writeProvenance } from './provenance.ts'
import { writeSboms } from './sbom.ts'

/** The SHA-256 of each file of a release, in the format of `sha256sum --check`. */
export const sumsFile = 'SHA256SUMS'

/** The folder of the image in a release, in the OCI layout. */
export const imageFolder = 'image'

/** Packs all published packages into a folder, with an image, bills of materials, provenance and checksums. */
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

/** Adds all but the packages to a folder of packed packages. Returns the parts of the image that do not come from npm. */
export function describeRelease(folder: string, installed: string): readonly SystemPackage[] | undefined {
  writeLock(folder, installed)
  writeSboms(installed, folder)
  const image = addImage(folder, installed)
  writeProvenance(folder, { image, sums: sumsOf(folder) })
  const lines = sumsOf(folder).map(({ file, sha256 }) => `${sha256}  ${file}\n`)
  writeFileSync(join(folder, sumsFile), lines.join(''))
  return image
}

/** The version that all published packages have. */
export function releaseVersion(): string {
  const manifest = readFileSync(join(repositoryRoot, 'packages/cli/package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** With these files `npm ci` in the folder installs the very packages that were tested together. */
function writeLock(folder: string, installed: string): void {
  for (const file of ['package.json', 'package-lock.json']) {
    const text = readFileSync(join(installed, file), 'utf8')
    writeFileSync(join(folder, file), text.replace(/"file:[^"]*\/([^"/]+\.tgz)"/g, '"file:$1"'))
  }
}

function addImage(folder: string, installed: string): SystemPackage[] | undefined {
  const buildah = findProgram('buildah')
  if (buildah === undefined) {
    process.stderr.write('no image: buildah is missing; apt-get install buildah\n')
    return undefined
  }
  return buildImage({
    repository: repositoryRoot,
    version: releaseVersion(),
    installed,
    sboms: folder,
    destination: join(folder, imageFolder),
    buildah,
  })
}

function sumsOf(folder: string): FileSum[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== sumsFile)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted()
    .map((file) => ({ file, sha256: sha256(join(folder, file)) }))
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function demandSuccess({ status, output }: Ended): void {
  if (status !== 0) throw new Error(output)
}

const USAGE = `usage: npm run release [-- FOLDER]

Packs every package that is published into FOLDER, release/VERSION by default, which must not exist or be empty. Writes
beside them an image in the OCI layout (where buildah is), a bill of materials in CycloneDX and SPDX, a lock file for
npm ci, the provenance and the sums of all files.`

/** Existing files would become part of the release. */
function obstacleIn(folder: string): string | undefined {
  const isEmpty = !existsSync(folder) || readdirSync(folder).length === 0
  return isEmpty ? undefined : `${folder} is not empty: name a folder that is empty or does not exist`
}

if (process.argv[1] === import.meta.filename) {
  const [folder = join('release', releaseVersion()), ...others] = process.argv.slice(2)
  const fault = folder.startsWith('-') || others.length > 0 ? USAGE : obstacleIn(folder)
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`)
    process.exit(folder === '--help' ? 0 : 2)
  }
  await release(resolve(folder))
  process.stdout.write(`${readFileSync(join(folder, sumsFile), 'utf8')}`)
}
