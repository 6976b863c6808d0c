import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PartRow } from './parts.ts'

/** The entry file of a part, and its Node arguments. */
export interface PartEntry {
  readonly file: string
  readonly nodeArguments: readonly string[]
}

/** Finds the entry file of a part: the source in a checkout, the built file in a published package. */
export function findEntry({ runs, stores }: Pick<PartRow, 'runs' | 'stores'>): PartEntry | undefined {
  // The packages of the user are built JavaScript, so the condition for our source is left out.
  if ('program' in runs)
    return { file: runs.program, nodeArguments: [guardArgument(isSource(import.meta.url))] }
  const file = candidatesOf(runs)
    .map(besideThisFile)
    .find((path) => existsSync(path))
  if (file === undefined) return undefined
  return { file, nodeArguments: [...argumentsFor(file), ...(stores ? forEmbeddedDatabase : [])] }
}

function candidatesOf(runs: Exclude<PartRow['runs'], { readonly program: string }>): string[] {
  if ('example' in runs) return [`../../${runs.example}/src/main.ts`, `./parts/${runs.example}/src/main.js`]
  const name = 'own' in runs ? runs.own : 'gateway-part'
  return [`./${name}.ts`, `./${name}.js`]
}

// Without V8's optimising compiler the embedded database starts in half the time, with half the memory.
const forEmbeddedDatabase: readonly string[] = ['--liftoff-only']

/** The entry of a database program of the stack, beside this file. */
export function programEntry(name: string): PartEntry {
  const source = besideThisFile(`./${name}.ts`)
  const file = existsSync(source) ? source : besideThisFile(`./${name}.js`)
  return { file, nodeArguments: [...argumentsFor(file), ...forEmbeddedDatabase] }
}

/** The configuration file of a gateway of the stack, beside `src` and `dist`. */
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

/** Loads the module that ends a part together with its parent. */
function guardArgument(source: boolean): string {
  return `--import=${new URL(`./end-with-parent.${source ? 'ts' : 'js'}`, import.meta.url)}`
}

function besideThisFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
