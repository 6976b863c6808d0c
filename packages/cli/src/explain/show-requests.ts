import { styleText } from 'node:util'
import { terminalLine, textTable } from '../terminal-text.ts'
import type { ExplainedRequest } from './explained-request.ts'

/** Requests as text: one paragraph each, with its steps, its reason and the help for its code. */
export function showRequests(requests: readonly ExplainedRequest[], stream: NodeJS.WriteStream): string[] {
  return requests.flatMap((request, index) => [...(index === 0 ? [] : ['']), ...paragraph(request, stream)])
}

function paragraph(request: ExplainedRequest, stream: NodeJS.WriteStream): string[] {
  const { part, route, status, outcome, milliseconds } = request
  const took = milliseconds === undefined ? '' : `, ${milliseconds} ms`
  const answered = [status ?? '', outcome].filter((word) => word !== '').join(' ')
  const heading = `${part}: ${route || 'no operation'} ${answered}${took}`
  const facts = [
    ['request', request.requestId],
    ['correlation', request.correlationId],
    ['started', request.startedAt],
    ['tenant', request.tenant],
    ['actor', request.actor],
    ['redacted', request.redacted ?? ''],
  ].filter(([, value]) => value !== '')
  return [
    styleText('bold', terminalLine(heading), { stream }),
    ...indented(textTable(facts.map((row) => row.map((cell) => terminalLine(cell ?? ''))))),
    ...indented(textTable(stepRows(request))),
    ...indented(textTable(reasonRows(request))),
  ]
}

function stepRows({ steps = [] }: ExplainedRequest): string[][] {
  return steps.map(({ name, verdict, milliseconds, detail = '' }) =>
    [verdict, name, `${milliseconds} ms`, detail].map(terminalLine),
  )
}

function reasonRows({ code, rule, cause, step, help }: ExplainedRequest): string[][] {
  const rows = [
    ['code', code],
    ['rule', rule],
    ['cause', cause],
    ['step', step],
    ['means', help?.message],
    ['why', help?.cause],
    ['to do', help?.fix],
    ['page', help?.page],
  ]
  return rows.flatMap(([name = '', value]) => (value === undefined ? [] : [[name, terminalLine(value)]]))
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
