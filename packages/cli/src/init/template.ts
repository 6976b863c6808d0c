import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Beside both src and dist.
const FOLDER = fileURLToPath(new URL('../../template/', import.meta.url))

// npm leaves files of these names out of a package.
const published = new Map([
  ['gitignore', '.gitignore'],
  ['npmrc', '.npmrc'],
])

const PLACEHOLDER = 'my-agent'

/** The files of the template for a project of this name, by path. */
export function templateFiles(name: string): Map<string, string> {
  const files = globSync('**', { cwd: FOLDER, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FOLDER.length).replace(/^\//, ''))
  return new Map(
    files.toSorted().map((path) => {
      const text = readFileSync(`${FOLDER}${path}`, 'utf8')
      return [published.get(path) ?? path, text.replaceAll(PLACEHOLDER, name)]
    }),
  )
}

/** The part of a text from one marker up to another; from the start or to the end without one. */
export function slice(text: string, { from, to }: { from?: string; to?: string }): string {
  const start = from === undefined ? 0 : text.indexOf(from)
  const end = to === undefined ? text.length : text.indexOf(to, start)
  if (start < 0 || end < 0) throw new Error(`the template lacks ${JSON.stringify(start < 0 ? from : to)}`)
  return text.slice(start, end)
}
