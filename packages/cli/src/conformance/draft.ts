import { existsSync, writeFileSync } from 'node:fs'
import { DraftError, draftScenario, readDocument } from '@agentic-rest/conformance'
import { exitCodes } from '../exit-codes.ts'
import type { Host } from '../host.ts'
import { terminalText } from '../terminal-text.ts'

/** `agentic conformance init OPENAPI`: writes a scenario to begin with. It replaces no file. */
export function draft(document: string, output: string | undefined, { stdout, stderr }: Host): number {
  const fail = (message: string) => {
    stderr.write(`${terminalText(message)}\n`)
    return exitCodes.invalid
  }
  if (output !== undefined && existsSync(output))
    return fail(`${output} is there already, and is not replaced`)
  const read = draftOf(document)
  if ('fault' in read) return fail(`${document}: ${read.fault}`)
  if (output === undefined) {
    stdout.write(terminalText(read.text))
    return exitCodes.ok
  }
  try {
    writeFileSync(output, read.text, { flag: 'wx' })
  } catch {
    return fail(`${output} cannot be written`)
  }
  stdout.write(`${terminalText(output)} is written: read it, fill in what is missing, then run\n`)
  stdout.write(`agentic conformance URL --scenario ${terminalText(output)}\n`)
  return exitCodes.ok
}

function draftOf(file: string): { text: string } | { fault: string } {
  const read = readDocument(file, 'yaml')
  if ('fault' in read) return read
  try {
    return { text: draftScenario(read.document) }
  } catch (error) {
    if (!(error instanceof DraftError)) throw error
    return { fault: error.message }
  }
}
