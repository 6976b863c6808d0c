import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ids, sendRequest } from '@agentic-rest/testing/send-request'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-refusal.ts'
import { startTypedPair, type TypedPair } from './harness/typed-upstream.ts'

interface FixtureCase {
  readonly title: string
  readonly valid: boolean
  readonly rule?: string
  readonly body: unknown
}

const { resolve } = createRequire(import.meta.url)
const casesOf = (schema: string): readonly FixtureCase[] =>
  JSON.parse(readFileSync(resolve(`@agentic-rest/profile/fixtures/v0.3/${schema}.json`), 'utf8')).cases

const statuses: Readonly<Record<string, number>> = {
  operation: 202,
  clarification: 400,
  'validation-error': 422,
  'approval-required': 412,
  conflict: 409,
}
const genericStatuses: Readonly<Record<string, number>> = { forbidden: 403, failed_dependency: 424 }

/** What a body says of itself, if it is an object at all. */
const members = (body: unknown) =>
  (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>

/** The status that fits a body: of the generic one three types share a schema, and only 429 may say when to come back. */
function statusOf(schema: string, body: unknown): number {
  const { type, retryAfter } = members(body)
  if (schema === 'error') return retryAfter === undefined ? (genericStatuses[String(type)] ?? 500) : 429
  return statuses[schema] ?? 0
}

/** The same body for the request at hand, unless its trace is what is wrong with it. */
function withIds(body: unknown): unknown {
  const trace = members(members(body)['trace'])
  const isWhole = Object.keys(ids).every((name) => typeof trace[name] === 'string' && trace[name] !== '')
  return isWhole ? { ...members(body), trace: { ...trace, ...ids } } : body
}

/** The code that a case is refused with, or nothing. */
function refusalOf({ valid, rule = '' }: FixtureCase) {
  if (valid) return undefined
  const traceless = rule === 'type ' || /^(required|type|minLength) \/trace/.test(rule)
  return traceless ? 'TRACE_MISSING' : 'PROFILE_VIOLATION'
}

async function judge(pair: TypedPair, schema: string, one: FixtureCase): Promise<void> {
  const sent = JSON.stringify(withIds(one.body))
  const status = statusOf(schema, one.body)
  pair.next = { status, type: `application/vnd.agentic.${schema}+json`, body: sent }
  const answer = await sendRequest(`${pair.url}/r`)
  const code = refusalOf(one)
  if (code !== undefined) return expectRefusal(answer, 500, code)
  expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status, body: sent })
}

describe.each([...Object.keys(statuses), 'error'])('every %s body of the corpus', (schema) => {
  it.each(casesOf(schema))('$title', async (one) => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    await judge(pair, schema, one)
    const code = refusalOf(one)
    const schemaRule = `schema.${one.rule?.split(' ')[0]}`
    const expected = code === 'PROFILE_VIOLATION' ? schemaRule : code?.toLowerCase()
    expect(pair.audit).toHaveLength(1)
    expect(members(pair.audit[0]?.['attributes'])['profile_violations']).toBe(expected)
  })
})
