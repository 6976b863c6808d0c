import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PROFILE_VERSION } from '@agentic-rest/profile'
import { fixtureFaults } from '../offline/fixture-faults.ts'
import { manifestFaults } from '../offline/manifest-faults.ts'
import type { Scenario } from '../scenario/scenario-schema.ts'
import { notInScenario, type Seen } from './observation.ts'

/** Looks at the files that a scenario names: package declarations, and the corpus, which is the profile's own if none is named. */
export function observeFiles({ packages, fixtures }: Scenario, folder: string): Seen[] {
  const corpus = fixtures === undefined ? profileCorpus() : resolve(folder, fixtures)
  return [
    packages === undefined
      ? notInScenario('packages', 'packages')
      : {
          name: 'packages',
          exchanges: [],
          faults: packages.flatMap((file) => faultsOf(resolve(folder, file), file)),
        },
    { name: 'fixtures', exchanges: [], faults: corpusFaults(corpus) },
  ]
}

function profileCorpus(): string {
  const manifest = fileURLToPath(import.meta.resolve('@agentic-rest/profile/package.json'))
  return join(manifest, '..', 'fixtures', PROFILE_VERSION)
}

function faultsOf(path: string, file: string): string[] {
  const value = readJson(path)
  if (value === undefined) return [`${file} cannot be read as JSON`]
  return manifestFaults(value.value).map(({ message }) => `${file}: ${message}`)
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
    return { value: JSON.parse(readFileSync(path, 'utf8')) }
  } catch {
    return undefined
  }
}
