import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readVersion } from '../../src/version.ts'

/** The folder of the golden files. */
export const goldenFolder = import.meta.dirname
/** The working folder of the command lines. */
export const goldenFiles = join(goldenFolder, 'files')

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The golden file of a run. */
export function goldenFile(name: string): string {
  return join(goldenFolder, `${name}.txt`)
}

/** The transcript of a run: command line, output and exit code. */
export function transcript(args: readonly string[], { code, stdout, stderr }: Ended): string {
  const line = ['agentic', ...args.map(quoted)].join(' ')
  return [`$ ${line}`, ...part('stdout', stdout), ...part('stderr', stderr), `--- exit ${code}`, ''].join(
    '\n',
  )
}

/** Replaces values that depend on the machine or the release by names. */
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
