import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceOptions } from '@agentic-rest/service'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { onTestFinished } from 'vitest'
import { operations } from '../../packages/cli/template/src/operations.ts'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'
import { repositoryRoot } from '../../tools/packed-packages.ts'

/** The store of all services of a file. */
export const store = sharedStore()

/** A folder with the gateway and the people of a new project. */
export function projectFolder(change: (gateway: string) => string = (text) => text): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-live-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const template = join(repositoryRoot, 'packages/cli/template')
  copyFileSync(join(template, 'people.yaml'), join(folder, 'people.yaml'))
  writeFileSync(join(folder, 'gateway.yaml'), change(readFileSync(join(template, 'gateway.yaml'), 'utf8')))
  return folder
}

/** The service of a new project on a free port. */
export async function startProjectService(options: Partial<ServiceOptions> = {}): Promise<string> {
  const { url } = await startService({ operations, store, ...options })
  return new URL(url).port
}

/** A configuration with its routes removed. */
export const withoutRoutes = (text: string) => `${text.slice(0, text.indexOf('routes:\n'))}routes: []\n`
/** The configuration of a project. */
export const readGateway = (folder: string) => readFileSync(join(folder, 'gateway.yaml'), 'utf8')

/** Runs a command in the folder of a project. */
export function agentic(line: string, folder: string, port: string) {
  return runHere(line.split(' '), { cwd: folder, env: { SERVICE_PORT: port } })
}
