import { readFileSync } from 'node:fs'
import { parseOwnJson } from '@agentic-rest/profile'

/** The version of the installed `agentic-rest` package. */
export function readVersion(): string {
  const manifest = parseOwnJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return (manifest as { version: string }).version
}
