import { ProfileViolationError, TransportError } from '@agentic-rest/client'
import { exitCodes, type Host } from '../host.ts'
import { jsonText, terminalLine } from '../terminal-text.ts'
import { CallError } from './read-call.ts'

/** A command that sent a request without getting an outcome. */
export interface Failing {
  readonly command: string
  readonly host: Host
  readonly json: boolean
  readonly baseUrl: string
  readonly stopped: boolean
}

/** Reports why a request has no outcome; returns the exit code. Throws other errors again: they are bugs. */
export function explainFailure(error: unknown, { command, host, json, baseUrl, stopped }: Failing): number {
  if (stopped) {
    host.stderr.write('\nEnded by Ctrl-C.\n')
    return exitCodes.interrupted
  }
  if (error instanceof CallError || error instanceof TypeError) {
    host.stderr.write(`agentic ${command}: ${terminalLine(error.message.replace('baseUrl', '--base-url'))}\n`)
    return exitCodes.invalid
  }
  if (!(error instanceof TransportError || error instanceof ProfileViolationError)) throw error
  const { code, trace } = error
  const message = reasonOf(error)
  if (json) host.stdout.write(`${jsonText({ error: { code, message, trace } })}\n`)
  else host.stderr.write(`${code}: ${terminalLine(message)}\n${code === 'NETWORK' ? whereHint(baseUrl) : ''}`)
  return exitCodes.failed
}

function whereHint(baseUrl: string): string {
  return `Is something listening at ${terminalLine(baseUrl)}? "npm start" starts the stack or your project; --base-url says where it is.\n`
}

function reasonOf(error: TransportError | ProfileViolationError): string {
  if (error instanceof ProfileViolationError)
    return `the answer (${error.status}) is not one of the profile: ${error.message}`
  const cause = innermost(error)
  return cause === error ? error.message : `${error.message}: ${cause.message}`
}

function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error
}
