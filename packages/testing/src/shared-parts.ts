import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import type { SharedPartName } from './shared-parts-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the program that starts shared parts. */
    sharedParts: string
  }
}

const program = join(import.meta.dirname, 'shared-parts-server.ts')
const flags = ['--conditions=agentic-source', '--disable-warning=ExperimentalWarning']

/** Vitest calls this before the first test of a set, and the returned function after the last. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [...flags, program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [address] = await once(child.stdout, 'data')
  provide('sharedParts', String(address).trim())
  return async () => {
    const exited = once(child, 'exit')
    child.stdin.end()
    await exited
  }
}

/** Where a shared part is; starts it if no other test has. */
export async function sharedPart(name: SharedPartName): Promise<string> {
  const response = await fetch(`${inject('sharedParts')}/${name}`)
  const text = await response.text()
  if (!response.ok) throw new Error(`the shared ${name} did not start: ${text}`)
  return text
}
