import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { membersOf, parseJson } from '@agentic-rest/profile'

/** A folder of tarballs, and their file names by package. */
export interface Tarballs {
  readonly folder: string
  readonly files: ReadonlyMap<string, string>
}

const COMMAND = 'agentic-rest'
const PLACE = `${sep}node_modules${sep}${COMMAND}${sep}`

/** The tarballs of the project that this program is installed in; undefined if it was not installed from tarballs. */
export function findTarballs(program = fileURLToPath(import.meta.url)): Tarballs | undefined {
  const at = program.lastIndexOf(PLACE)
  const manifest = join(program.slice(0, Math.max(at, 0)), 'package.json')
  if (at === -1 || !existsSync(manifest)) return undefined
  const { dependencies, devDependencies, overrides } = membersOf(
    parseJson(readFileSync(manifest, 'utf8')).value,
  )
  const references = { ...membersOf(overrides), ...membersOf(devDependencies), ...membersOf(dependencies) }
  const own = Object.entries(references).flatMap(([name, reference]) => {
    const [, file] = /^file:(.+\.tgz)$/.exec(String(reference)) ?? []
    const isOurs = name === COMMAND || name.startsWith('@agentic-rest/')
    return isOurs && file !== undefined ? [[name, resolve(dirname(manifest), file)] as const] : []
  })
  const folder = dirname(new Map(own).get(COMMAND) ?? '')
  const isWhole = own.every(([, file]) => dirname(file) === folder && existsSync(file))
  if (own.length === 0 || !isWhole) return undefined
  return { folder, files: new Map(own.map(([name, file]) => [name, basename(file)])) }
}
