import { posix } from 'node:path'
import type { Fault } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { modulesUsed, readSource } from '../source-file.ts'

/**
 * The rooms of the gateway, from the top down. A room may import those below it. Files beside the rooms stand where the
 * table puts them.
 */
export const gatewayRooms: readonly string[] = [
  'index.ts',
  'workers/',
  'gateway.ts',
  'admin/',
  'line/',
  'lifetime/',
  'plugins/',
  'sessions/',
  'idempotency/',
  'plugin.ts',
  'audit-log/',
  'approvals-page/',
  'mcp/',
  'upstream/',
  'listen/',
  'limits/',
  'redis/',
  'metrics/',
  'exchange.ts',
  'config/',
  'errors.ts',
  'log.ts',
  'node-on-demand.ts',
]

const gateway = 'packages/gateway/src/'

interface FileImport {
  readonly from: string
  readonly to: string
  readonly line: number
}

/** No file imports itself by a detour, types included; in the gateway every import between rooms goes down. */
export function importCycles(root: string): Fault[] {
  const files = listSources(root, ['packages', 'examples']).filter(
    (path) => !isTestFile(path) && !path.includes('/test/'),
  )
  const imports = files.flatMap((from) => importsOf(root, from))
  return [
    ...cycles(imports).map(describeCycle),
    ...files.flatMap(standsNowhere),
    ...imports.flatMap(goesUp),
    ...imports.flatMap(leavesPlugin),
  ]
}

function importsOf(root: string, from: string): FileImport[] {
  return modulesUsed(readSource(root, from))
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, line }) => ({ from, line, to: posix.join(posix.dirname(from), specifier) }))
}

/** Every cycle once: the strongly connected parts of the graph with more than one file (Tarjan). */
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
  return { path, line: 1, message: `imports itself by a detour: ${files.join(', ')}` }
}

function standsNowhere(path: string): Fault[] {
  if (!path.startsWith(gateway) || roomOf(path) !== -1) return []
  return [{ path, line: 1, message: 'stands in no room of the gateway' }]
}

function goesUp({ from, to, line }: FileImport): Fault[] {
  if (!from.startsWith(gateway) || !to.startsWith(gateway)) return []
  const [own, other] = [roomOf(from), roomOf(to)]
  if (own === -1 || other === -1 || other >= own) return []
  const message = `${gatewayRooms[own]} may not import ${gatewayRooms[other]}: rooms import downwards`
  return [{ path: from, line, message }]
}

/** Position in the table; -1 for a file outside of every room. */
function roomOf(path: string): number {
  const inside = path.slice(gateway.length)
  return gatewayRooms.indexOf(inside.includes('/') ? `${inside.split('/', 1)[0]}/` : inside)
}

/** A plugin knows no other plugin. */
function leavesPlugin({ from, to, line }: FileImport): Fault[] {
  const [own, other] = [pluginOf(from), pluginOf(to)]
  if (own === undefined || other === undefined || own === other) return []
  return [{ path: from, line, message: `${own} may not import ${other}: a plugin knows no other plugin` }]
}

function pluginOf(path: string): string | undefined {
  return /^packages\/gateway\/src\/plugins\/([^/]+)\//.exec(path)?.[1]
}
