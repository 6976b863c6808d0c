import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface DecisionRecord {
  readonly file: string
  readonly title: string
}

/** The list of decision records, read from their folder. */
export function decisionIndex(folder: string): string {
  const records = readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => ({ file, title: titleOf(join(folder, file)) }))
  const isNumbered = ({ file }: DecisionRecord) => /^\d{4}-/.test(file)
  const isLibrary = ({ file }: DecisionRecord) => file.startsWith('dep-')
  return [
    group('What the profile leaves open', records.filter(isNumbered)),
    group(
      'Choices of this repository',
      records.filter((record) => !isNumbered(record) && !isLibrary(record)),
    ),
    group('Libraries', records.filter(isLibrary)),
  ].join('\n\n')
}

function group(title: string, records: readonly DecisionRecord[]): string {
  return [`## ${title}`, '', ...records.map(({ file, title: text }) => `- [${text}](${file})`)].join('\n')
}

function titleOf(path: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? []
  if (title === undefined) throw new Error(`${path} has no title`)
  return title
}
