import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PartRow } from './parts.ts'

/** The file that a part is started with, and the arguments that Node needs for it. */
export interface PartEntry {
  readonly file: string
  readonly nodeArguments: readonly string[]
}

/** Finds the entry of a part: its source in a checkout, what was built in a published package; none if it is not there. */
export function findEntry({ runs, stores }: Pick<PartRow, 'runs' | 'stores'>): PartEntry | undefined {
  // The user's packages are built JavaScript: the condition for our source must not reach them.
  if ('program' in runs)
    return { file: runs.program, nodeArguments: [guardArgument(isSource(import.meta.url))] }
  const candidates =
    'gateway' in runs
      ? ['./gateway-part.ts', './gateway-part.js']
      : [`../../${runs.example}/src/main.ts`, `./parts/${runs.example}/src/main.js`]
  const file = candidates.map(besideThisFile).find((path) => existsSync(path))
  if (file === undefined) return undefined
  return { file, nodeArguments: [...argumentsFor(file), ...(stores ? forEmbeddedDatabase : [])] }
}

// The embedded database starts in half the time, with half the memory, when V8 does not try to make it fast.
const forEmbeddedDatabase: readonly string[] = ['--liftoff-only']

/** A program of the stack itself that works on databases, beside this file. */
export function programEntry(name: string): PartEntry {
  const source = besideThisFile(`./${name}.ts`)
  const file = existsSync(source) ? source : besideThisFile(`./${name}.js`)
  return { file, nodeArguments: [...argumentsFor(file), ...forEmbeddedDatabase] }
}

/** The configuration of one of the stack's own gateways; it lies beside `src` and `dist`. */
export function gatewayFile(name: string): string {
  return besideThisFile(`../${name}`)
}

function argumentsFor(file: string): string[] {
  const source = isSource(file)
  return [...(source ? ['--conditions=agentic-source'] : []), guardArgument(source)]
}

function isSource(file: string): boolean {
  return file.endsWith('.ts')
}

/** Loads the module that ends a part when its parent has ended. */
function guardArgument(source: boolean): string {
  return `--import=${new URL(`./end-with-parent.${source ? 'ts' : 'js'}`, import.meta.url)}`
}

function besideThisFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
