import { posix } from 'node:path'
import type { Fault } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { modulesUsed, readSource } from '../source-file.ts'

/**
 * The folders and top-level files of the gateway, from top to bottom. Each may import only those below it.
 */
export const gatewayRooms: readonly string[] = [
  'index.ts',
  'workers/',
  'gateway.ts',
  'admin/',
  'line/',
  'lifetime/',
  'plugins/',
  'slots/',
  'plugin.ts',
  'upstream/',
  'listen/',
  'metrics/',
  'exchange.ts',
  'config/',
  'errors.ts',
  'log.ts',
]

const gateway = 'packages/gateway/src/'

interface FileImport {
  readonly from: string
  readonly to: string
  readonly line: number
}

/** No import cycles, types included. Inside the gateway, imports between folders go down the table. */
export function importCycles(root: string): Fault[] {
  const imports = readImports(root)
  return [...cycles(imports).map(describeCycle), ...imports.flatMap(goesUp), ...imports.flatMap(leavesPlugin)]
}

function readImports(root: string): FileImport[] {
  return listSources(root, ['packages', 'examples'])
    .filter((path) => !isTestFile(path) && !path.includes('/test/'))
    .flatMap((from) =>
      modulesUsed(readSource(root, from))
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, line }) => ({ from, line, to: posix.join(posix.dirname(from), specifier) })),
    )
}

/** Each cycle once: strongly connected components of more than one file (Tarjan). */
function cycles(imports: readonly FileImport[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const found: string[][] = []
  const visit = (file: string): number => {
    const own = order.size
    order.set(file, own)
    let low = own
    open.push(file)
    for (const { to } of targets.get(file) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to))
      else if (open.includes(to)) low = Math.min(low, order.get(to) ?? own)
    }
    lowest.set(file, low)
    if (low === own) {
      const part = open.splice(open.indexOf(file))
      if (part.length > 1) found.push(part.sort())
    }
    return low
  }
  for (const file of targets.keys()) if (!order.has(file)) visit(file)
  return found
}

function describeCycle(files: readonly string[]): Fault {
  const [path = ''] = files
  return { path, line: 1, message: `import cycle: ${files.join(', ')}` }
}

function goesUp({ from, to, line }: FileImport): Fault[] {
  if (!from.startsWith(gateway) || !to.startsWith(gateway)) return []
  const [own, other] = [roomOf(from), roomOf(to)]
  if (own === -1) return [{ path: from, line, message: 'is not in the table of the gateway’s folders' }]
  if (other >= own) return []
  return [
    {
      path: from,
      line,
      message: `${gatewayRooms[own]} may not import ${gatewayRooms[other]}: imports go down the table`,
    },
  ]
}

/** The position in the table; -1 for a file that is not in it. */
function roomOf(path: string): number {
  const inside = path.slice(gateway.length)
  return gatewayRooms.indexOf(inside.includes('/') ? `${inside.split('/', 1)[0]}/` : inside)
}

/** Plugins do not import each other. */
function leavesPlugin({ from, to, line }: FileImport): Fault[] {
  const [own, other] = [pluginOf(from), pluginOf(to)]
  if (own === undefined || other === undefined || own === other) return []
  return [{ path: from, line, message: `${own} may not import ${other}: plugins do not import each other` }]
}

function pluginOf(path: string): string | undefined {
  return /^packages\/gateway\/src\/plugins\/([^/]+)\//.exec(path)?.[1]
}
