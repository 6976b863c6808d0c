import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readVersion } from '../../src/version.ts'

/** Where the files are kept. */
export const goldenFolder = import.meta.dirname
/** The folder in which the command lines run. */
export const goldenFiles = join(goldenFolder, 'files')

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The file that keeps a run. */
export function goldenFile(name: string): string {
  return join(goldenFolder, `${name}.txt`)
}

/** A run as the files keep it: the command line, what it wrote, and how it ended. */
export function transcript(args: readonly string[], { code, stdout, stderr }: Ended): string {
  const line = ['agentic', ...args.map(quoted)].join(' ')
  return [`$ ${line}`, ...part('stdout', stdout), ...part('stderr', stderr), `--- exit ${code}`, ''].join(
    '\n',
  )
}

/** What differs from machine to machine and from release to release, by its name. */
export function steady(text: string): string {
  return text
    .replaceAll(goldenFiles, '<folder>')
    .replaceAll(JSON.stringify(readVersion()), '"<version>"')
    .replaceAll(`${tmpdir()}/`, '<temporary>/')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
}

function part(name: string, text: string): string[] {
  if (text === '') return []
  return [`--- ${name}`, text.endsWith('\n') ? text.slice(0, -1) : `${text}(no line break at the end)`]
}

function quoted(argument: string): string {
  return /^[\w./:@=-]+$/.test(argument) ? argument : JSON.stringify(argument)
}
