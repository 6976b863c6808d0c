import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseJson } from '@agentic-rest/profile'
import { fixtureFaults, isSilent, manifestFaults } from '../offline/file-faults.ts'
import type { Scenario } from '../scenario/scenario-schema.ts'
import { notInScenario, type Seen } from './observation.ts'

/** Checks the files of a scenario: package declarations and a fixture corpus. */
export function observeFiles({ packages, fixtures }: Scenario, folder: string): Seen[] {
  return [
    packages === undefined ? notInScenario('packages', 'packages') : observePackages(packages, folder),
    fixtures === undefined
      ? notInScenario('fixtures', 'fixtures')
      : { name: 'fixtures', exchanges: [], faults: corpusFaults(resolve(folder, fixtures)) },
  ]
}

function observePackages(files: readonly string[], folder: string): Seen {
  const manifests = files.map((file) => ({ file, read: readJson(resolve(folder, file)) }))
  if (manifests.every(({ read }) => read !== undefined && isSilent(read.value)))
    return { name: 'packages', missing: 'the packages of the scenario are private and declare nothing' }
  return { name: 'packages', exchanges: [], faults: manifests.flatMap(faultsOf) }
}

function faultsOf({ file, read }: { file: string; read: { value: unknown } | undefined }): string[] {
  if (read === undefined) return [`${file} cannot be read as JSON`]
  return manifestFaults(read.value).map(({ message }) => `${file}: ${message}`)
}

function corpusFaults(folder: string): string[] {
  const files = listJson(folder)
  if (files.length === 0) return [`there are no fixtures in ${folder}`]
  return files.flatMap((name) => {
    const value = readJson(join(folder, name))
    if (value === undefined) return [`${name} cannot be read as JSON`]
    return fixtureFaults(value.value).map(({ pointer, message }) => `${name}${pointer}: ${message}`)
  })
}

function listJson(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

function readJson(path: string): { value: unknown } | undefined {
  try {
    const { value, fault } = parseJson(readFileSync(path, 'utf8'))
    return fault ? undefined : { value }
  } catch {
    return undefined
  }
}
