import { readFileSync } from 'node:fs'
import { statusOf } from '@agentic-rest/profile'
import { eventually } from '@agentic-rest/testing/eventually'
import { writeFiles } from '@agentic-rest/testing/make-certificate'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { ids } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'
import {
  type ErrorCode,
  errorCodes,
  invalidRequest,
  refusal,
  VALIDATION_FAILED,
  validationFailed,
} from '../../packages/gateway/src/errors.ts'
import { failedGateway } from './failed-gateway.ts'
import { failedServices } from './failed-services.ts'
import type { Provocation } from './provocation.ts'
import { refusedCallers } from './refused-callers.ts'
import { repeatedKeys } from './repeated-keys.ts'
import { type ObservedGateway, observeLines, observeSpans, ROUTE } from './start-observed.ts'

type Code = ErrorCode | typeof VALIDATION_FAILED

/** How every code is provoked. A new code without a row does not compile. */
const provocations: Readonly<Record<Code, Provocation>> = {
  ...refusedCallers,
  ...failedServices,
  ...failedGateway,
  ...repeatedKeys,
} satisfies Record<Code, Provocation>

const codes = [...Object.keys(errorCodes), VALIDATION_FAILED] as Code[]

/** The reason of a request as every place tells it. */
function reasonOf(code: Code) {
  const { step, rule, cause, route = ROUTE } = provocations[code]
  const outcome = code === VALIDATION_FAILED ? invalidRequest('', '') : refusal(code)
  const parts = { code, ...(rule !== undefined && { rule }), ...(cause !== undefined && { cause }) }
  return { parts, step, route, status: statusOf(outcome) }
}

/** A line or a record of the request; it is written a moment after the answer. */
async function lineOf(
  lines: readonly Record<string, unknown>[],
  holds: (line: Record<string, unknown>) => boolean,
) {
  const found = await eventually(
    () => lines.filter((line) => line['request_id'] === ids.requestId && holds(line)),
    ({ length }) => length > 0,
  )
  expect(found).toHaveLength(1)
  return found[0] ?? {}
}

async function provoked(code: Code, start: Parameters<Provocation['provoke']>[0]) {
  const { status, body } = await provocations[code].provoke(start)
  const answer = JSON.parse(body.toString())
  expect({ status, code: answer.code ?? VALIDATION_FAILED, trace: answer.trace }).toEqual({
    status: reasonOf(code).status,
    code,
    trace: ids,
  })
}

async function expectInLog(code: Code, { log }: ObservedGateway) {
  const { parts, step, route, status } = reasonOf(code)
  const isFault = status === 424 || status >= 500
  const line = await lineOf(log, (each) => each['code'] !== undefined)
  expect(line).toEqual({
    time: expect.any(String),
    level: isFault ? 'warn' : 'info',
    msg: isFault ? 'a request could not be served' : 'a request was refused',
    request_id: ids.requestId,
    correlation_id: ids.correlationId,
    route,
    status,
    step,
    ...parts,
  })
}

async function expectInRecord(code: Code, { audit }: ObservedGateway) {
  const { parts, step, route, status } = reasonOf(code)
  const record = await lineOf(audit, () => true)
  expect(record).toMatchObject({ operation: route, outcome: 'error', correlation_id: ids.correlationId })
  const { attributes } = record as { attributes: Record<string, string> }
  expect(attributes).toMatchObject({ ...parts, step, status: String(status), client_address: '127.0.0.1' })
  for (const name of ['rule', 'cause'] as const) expect(attributes[name]).toBe(parts[name])
}

function expectInMetrics(code: Code, { gateway }: ObservedGateway) {
  const { text } = gateway.metrics.expose()
  const { route, parts } = reasonOf(code)
  expect(metricValue(text, 'agentic_gateway_errors_total', { route, code })).toBe(1)
  const isRule = code.startsWith('TRACE_') || code === 'PROFILE_VIOLATION'
  const violations = metricValue(text, 'agentic_profile_violations_total', { route, rule: parts.rule ?? '' })
  expect(violations).toBe(isRule ? 1 : 0)
}

async function expectInAdminApi(code: Code, { adminUrl }: ObservedGateway) {
  const { parts, step, route, status } = reasonOf(code)
  const answer = await fetch(`${adminUrl}/api/exchanges/${ids.requestId}`)
  const exchange = (await answer.json()) as { steps: { name: string }[] }
  expect(exchange).toMatchObject({ ...ids, route, status, ...parts })
  for (const name of ['rule', 'cause'] as const)
    if (parts[name] === undefined) expect(exchange).not.toHaveProperty(name)
  expect(exchange.steps.find(({ name }) => name === step)).toEqual({
    name: step,
    verdict: status === 424 || status >= 500 ? 'failed' : 'refused',
    milliseconds: expect.any(Number),
    detail: Object.values(parts).join(', '),
  })
}

async function expectInExplain(code: Code, { adminUrl }: ObservedGateway) {
  const { parts, route, status } = reasonOf(code)
  const json = await runHere(['explain', ids.requestId, '--admin', adminUrl, '--json'])
  expect([json.code, json.stderr]).toEqual([0, ''])
  const { requests } = JSON.parse(json.stdout)
  expect(requests).toEqual([expect.objectContaining({ ...ids, route, status, ...parts })])
  const { message, cause, fix, page } = requests[0].help
  expect({ message, cause, fix }).toEqual(helpOf(code))
  expect(page).toBe(`docs/errors.md#${code.toLowerCase()}`)
  const text = await runHere(['explain', ids.correlationId, '--admin', adminUrl])
  const lines = text.stdout.split('\n').map((line) => line.trim().replace(/ +/, ' '))
  for (const [name, value] of Object.entries(parts)) expect(lines).toContain(`${name} ${value}`)
  expect(text.stdout).toContain(fix)
}

async function expectInAuditFile(code: Code, { audit }: ObservedGateway) {
  const { parts, step, route, status } = reasonOf(code)
  const { records } = writeFiles({ records: audit.map((line) => `${JSON.stringify(line)}\n`).join('') })
  const { stdout } = await runHere(['explain', ids.requestId, '--audit', records, '--json'])
  expect(JSON.parse(stdout).requests).toEqual([
    expect.objectContaining({ ...ids, route, status, step, ...parts }),
  ])
}

function helpOf(code: Code) {
  const { message, cause, fix } = code === VALIDATION_FAILED ? validationFailed : errorCodes[code]
  return { message, cause, fix }
}

test.each(codes)(
  '%s is found in the log, the record, the metric, the admin API and explain',
  async (code) => {
    const { start, seen } = await observeLines()
    await provoked(code, start)
    const [gateway] = seen
    if (gateway === undefined) throw new Error('no gateway was started')
    await expectInLog(code, gateway)
    await expectInRecord(code, gateway)
    expectInMetrics(code, gateway)
    await expectInAdminApi(code, gateway)
    await expectInExplain(code, gateway)
    await expectInAuditFile(code, gateway)
  },
)

test.each(codes)('%s is found on the span', async (code) => {
  const { start, seen, spans } = await observeSpans()
  await provoked(code, start)
  for (const { gateway } of seen) await gateway.close()
  const own = spans.filter(({ attributes }) => attributes['request_id'] === ids.requestId)
  expect(own).toHaveLength(1)
  const { parts, step, route, status } = reasonOf(code)
  expect(own[0]?.status).toBe('STATUS_CODE_ERROR')
  const attributes = own[0]?.attributes ?? {}
  const named = Object.entries({ ...parts, step }).map(([name, value]) => [`attributes.${name}`, value])
  expect(attributes).toMatchObject({
    ...Object.fromEntries(named),
    'error.type': code,
    'http.request.method': expect.stringMatching(/^[A-Z]+$/),
    'http.response.status_code': status,
  })
  expect(attributes['http.route']).toBe(route === ROUTE ? '/items/{itemId}' : undefined)
  expect(Object.keys(attributes).filter((name) => name.startsWith('url.'))).toEqual([])
})

test('the table has the codes of the page', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/<a id="[a-z_]+"><\/a>`([A-Z_]+)`/g)].map(([, code]) => code)
  expect(listed.toSorted()).toEqual(Object.keys(provocations).toSorted())
})
