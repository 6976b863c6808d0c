import { join } from 'node:path'
import { PROFILE_VERSION } from '@agentic-rest/profile'
import { type Fault, lineOf } from '../fault.ts'
import { readIfThere } from '../repo-files.ts'
import { type Manifest, readManifest, readWorkspaces, type Workspace } from '../workspaces.ts'

const exactVersion = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/

// npm runs these on every machine that installs the package.
const installScripts = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare']

interface Demand {
  /** The key of package.json for the position of the fault. */
  readonly key: string
  readonly message: string
  isMet(manifest: Manifest): boolean
}

const declaration = `Supports Agentic Profile ${PROFILE_VERSION}`

const demands: readonly Demand[] = [
  {
    key: 'description',
    message: `the description has to contain "${declaration}"`,
    isMet: ({ description }) => description?.includes(declaration) === true,
  },
  {
    key: 'license',
    message: 'the license has to be Apache-2.0',
    isMet: ({ license }) => license === 'Apache-2.0',
  },
  { key: 'type', message: 'the type has to be "module"', isMet: ({ type }) => type === 'module' },
  {
    key: 'engines',
    message: 'engines.node is missing',
    isMet: ({ engines }) => engines?.['node'] !== undefined,
  },
  {
    key: 'exports',
    message: 'exports is missing',
    isMet: ({ exports }) => exports !== undefined,
  },
  {
    key: 'files',
    message: 'files is missing: without it the tests are published too',
    isMet: ({ files }) => files !== undefined && files.length > 0,
  },
  {
    key: 'scripts',
    message: 'scripts.prepack has to build what is published',
    isMet: ({ scripts }) => /\b(tsc|vite|build)\b/.test(scripts?.['prepack'] ?? ''),
  },
  {
    // The repository's .npmrc disables scripts: without this setting, `npm publish` would skip prepack and ship no build.
    key: 'publishConfig',
    message: 'publishConfig has to set "ignore-scripts": false, or npm publish does not build',
    isMet: ({ publishConfig }) => publishConfig?.['ignore-scripts'] === false,
  },
  {
    key: 'scripts',
    message: `nothing may run on installation (${installScripts.join(', ')})`,
    isMet: ({ scripts }) => !installScripts.some((name) => Object.hasOwn(scripts ?? {}, name)),
  },
]

/** Published packages declare their profile version and their build; every dependency has one exact version. */
export function packageDeclarations(root: string): Fault[] {
  const workspaces = readWorkspaces(root)
  const versions = new Map(workspaces.map(({ manifest }) => [manifest.name ?? '', manifest.version]))
  return [readManifest(root, '.'), ...workspaces].flatMap((workspace) => [
    ...unmetDemands(workspace),
    ...missingLicence(root, workspace),
    ...looseDependencies(workspace, versions),
  ])
}

function unmetDemands({ folder, text, manifest }: Workspace): Fault[] {
  if (manifest.private === true) return []
  return demands
    .filter((demand) => !demand.isMet(manifest))
    .map(({ key, message }) => ({ path: pathOf(folder), line: lineOf(text, `"${key}"`), message }))
}

function missingLicence(root: string, { folder, manifest }: Workspace): Fault[] {
  const path = `${folder}/LICENSE`
  if (manifest.private === true || readIfThere(join(root, path)) === readIfThere(join(root, 'LICENSE')))
    return []
  const message = 'has to be a copy of LICENSE, which npm packs from the folder of the package'
  return [{ path, line: 1, message }]
}

// Peers may have ranges: the installing project chooses their version.
function looseDependencies(
  { folder, text, manifest }: Workspace,
  versions: ReadonlyMap<string, string | undefined>,
): Fault[] {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  return [dependencies, devDependencies, optionalDependencies]
    .flatMap((group) => Object.entries(group ?? {}))
    .flatMap(([name, wanted]) => {
      const message = looseness(name, wanted, versions)
      return message === undefined
        ? []
        : [{ path: pathOf(folder), line: lineOf(text, `"${name}": "${wanted}"`), message }]
    })
}

function looseness(
  name: string,
  wanted: string,
  versions: ReadonlyMap<string, string | undefined>,
): string | undefined {
  if (versions.has(name) && versions.get(name) !== wanted) {
    return `${name} is version ${versions.get(name)} in this repository, not ${wanted}`
  }
  return exactVersion.test(wanted) ? undefined : `${name} has to be one exact version, not "${wanted}"`
}

function pathOf(folder: string): string {
  return folder === '.' ? 'package.json' : `${folder}/package.json`
}
