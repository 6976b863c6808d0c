import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createTerminal } from './terminal.ts'

const record = {
  event_type: 'agentic.request.received',
  operation: 'read-item',
  resource_id: '7',
  actor_id: 'alice',
  tenant_id: 'acme',
  request_id: 'req-1',
  outcome: 'error',
  attributes: {},
}

/** The lines that a terminal prints, without their time. */
function printed(use: (terminal: ReturnType<typeof createTerminal>) => void, verbose = false): string[] {
  const stream = new PassThrough({ encoding: 'utf8' })
  use(createTerminal(stream, verbose))
  const text: string = stream.read() ?? ''
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.slice('00:00:00 '.length)]))
}

const requestLine = (changes: object) =>
  printed((terminal) => terminal.requested('gateway', { ...record, ...changes }))[0]?.replace(/ +/g, ' ')

test('a request has its outcome, and a refused or replaced answer its status, code, rule and cause', () => {
  expect(requestLine({ outcome: 'success', attributes: { status: '200' } })).toBe(
    'gateway read-item 7 alice@acme success',
  )
  const rejected = { event_type: 'agentic.request.rejected', actor_id: '', tenant_id: '' }
  expect(requestLine({ ...rejected, attributes: { status: '401', code: 'MISSING_TOKEN' } })).toBe(
    'gateway read-item 7 nobody refused 401 MISSING_TOKEN (request req-1)',
  )
  const unavailable = { status: '424', code: 'LICENSE_UNAVAILABLE', rule: 'optimize', cause: 'ECONNREFUSED' }
  expect(requestLine({ attributes: { outcome_type: 'failed_dependency', ...unavailable } })).toBe(
    'gateway read-item 7 alice@acme failed_dependency 424 LICENSE_UNAVAILABLE, optimize, ECONNREFUSED (request req-1)',
  )
  const reported = { outcome_type: 'success', status: '200', rule: 'media_type' }
  expect(requestLine({ outcome: 'success', attributes: reported })).toBe(
    'gateway read-item 7 alice@acme success 200 media_type (request req-1)',
  )
})

test('a path and a name cannot change the terminal', () => {
  expect(requestLine({ resource_id: '\u001b[2J7', actor_id: 'al\u202eice', outcome: 'success' })).toBe(
    'gateway read-item ?[2J7 al?ice@acme success',
  )
})

test('a very long path or name is cut, so that the outcome stays in sight', () => {
  const line = requestLine({ resource_id: 'x'.repeat(10_000), actor_id: 'y'.repeat(10_000) }) ?? ''
  expect(line).toMatch(/^gateway read-item x{109}… y{119}… error$/)
})

test('the reason of a request is not told twice, except in the verbose mode', () => {
  const reason = { level: 'warn', msg: 'a request could not be served', request_id: 'r', code: 'C' }
  const lines = [reason, { level: 'warn', msg: 'the collector is away' }, { level: 'info', msg: 'listening' }]
  const show = (verbose: boolean) =>
    printed((terminal) => {
      for (const line of lines) terminal.logged('gateway', JSON.stringify(line))
    }, verbose).map((line) => line.replace(/ +/g, ' '))
  expect(show(false)).toEqual(['gateway warn the collector is away'])
  expect(show(true)).toEqual([
    'gateway warn a request could not be served request_id="r" code="C"',
    'gateway warn the collector is away',
    'gateway info listening',
  ])
})

test('an error shows where it was thrown, and the last request if it names none', () => {
  const cause = 'Error: x\n    at run (file:///app/src/main.ts:7:5)\n    at node:internal/timers:1:1'
  const error = { level: 'error', msg: 'a job failed', cause }
  const show = (line: object) =>
    printed((terminal) => {
      terminal.requested('gateway', record)
      terminal.logged('service', JSON.stringify(line))
      terminal.failed('service', 'ended with code 1; it is started again')
    })
      .slice(1)
      .map((line) => line.trim().replace(/ +/g, ' '))
  // A line of a place has no time, which `printed` cuts off.
  expect(show(error)).toEqual([
    'service error a job failed cause="Error: x" (last request req-1)',
    'n (file:///app/src/main.ts:7:5)',
    'service ended with code 1; it is started again (last request req-1)',
  ])
  for (const name of ['request_id', 'requestId'])
    expect(show({ ...error, [name]: 'req-7' })[0]).toBe(
      `service error a job failed cause="Error: x" ${name}="req-7"`,
    )
})
