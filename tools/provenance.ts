import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SystemPackage } from './image.ts'
import { repositoryRoot } from './packed-packages.ts'

/** The provenance of a release: for programs (in-toto, SLSA 1.0, not signed) and for people. */
export const provenanceFiles = { statement: 'provenance.json', notes: 'PROVENANCE.md' } as const

/** A file of a release and its SHA-256. */
export interface FileSum {
  readonly file: string
  readonly sha256: string
}

/** The facts about a release. */
export interface ReleaseFacts {
  /** The parts of the image that do not come from npm; absent without an image. */
  readonly image: readonly SystemPackage[] | undefined
  readonly sums: readonly FileSum[]
}

/** Writes how the files of a release were made. */
export function writeProvenance(folder: string, { image, sums }: ReleaseFacts): void {
  const source = readSource()
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: sums.map(({ file, sha256 }) => ({ name: file, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: {},
        resolvedDependencies: [
          ...(source.commit === undefined
            ? []
            : [
                {
                  name: 'source',
                  digest: { gitCommit: source.commit },
                  annotations: { localChanges: source.isChanged },
                },
              ]),
          { name: 'package-lock.json', digest: { sha256: source.lockSum } },
          ...(image ?? []).map(({ name, purl }) => ({ name, uri: purl })),
        ],
      },
      runDetails: {
        builder: { id: 'local', version: { node: process.versions.node } },
        metadata: { finishedOn: new Date().toISOString() },
      },
    },
  }
  writeFileSync(join(folder, provenanceFiles.statement), `${JSON.stringify(statement, null, 2)}\n`)
  writeFileSync(join(folder, provenanceFiles.notes), notesOf({ image, sums }, source))
}

interface Source {
  readonly commit: string | undefined
  readonly isChanged: boolean
  readonly lockSum: string
}

function readSource(): Source {
  const lock = readFileSync(join(repositoryRoot, 'package-lock.json'))
  const commit = git('rev-parse', 'HEAD')
  return {
    commit,
    isChanged: git('status', '--porcelain') !== '',
    lockSum: createHash('sha256').update(lock).digest('hex'),
  }
}

/** The output of git; nothing outside of a checkout. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}

function notesOf({ image, sums }: ReleaseFacts, { commit, isChanged, lockSum }: Source): string {
  const rows = [
    [
      'source',
      commit === undefined ? 'unknown' : `commit ${commit}${isChanged ? ', with local changes' : ''}`,
    ],
    ['dependencies', `package-lock.json with SHA-256 ${lockSum}`],
    ['built with', `Node ${process.versions.node}, on ${process.platform} ${process.arch}`],
    ['files', String(sums.length)],
    [
      'image',
      image === undefined
        ? 'none: buildah was missing'
        : `in the OCI layout; ${versionsOf(image)}, and the packages of npm`,
    ],
  ]
  return `# Provenance

| What | Value |
|---|---|
${rows.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}

Check the files with \`sha256sum --check SHA256SUMS\`. Make them again from the commit with \`npm install && npm run release\`: the packages get the same
sums, bills of materials and image do not, because they have the time in them. The statement for programs is \`provenance.json\`. It is not signed: sign \`SHA256SUMS\` with your own key.
`
}

/** Names and versions, for people. */
export function versionsOf(packages: readonly SystemPackage[]): string {
  return packages.map(({ name, version }) => `${name} ${version}`).join(', ')
}
