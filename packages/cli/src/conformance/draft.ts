import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DraftError, draftScenario } from '@agentic-rest/conformance'
import { parse } from 'yaml'
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
  const read = readDocument(document)
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

function readDocument(file: string): { text: string } | { fault: string } {
  try {
    return { text: draftScenario(parse(readFileSync(file, 'utf8'), { logLevel: 'error' })) }
  } catch (error) {
    return { fault: error instanceof DraftError ? error.message : 'the file cannot be read as YAML or JSON' }
  }
}
