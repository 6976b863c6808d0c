import type { Outcome } from '@agentic-rest/profile'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type Answer, type Client, createClient, type Outcome as ReExported } from '../src/index.ts'
import type { paths } from './campaigns-paths.ts'

const sent: { url: string; method: string | undefined; body: unknown }[] = []
const options = {
  baseUrl: 'http://example.test',
  fetch: async (url: string, { method, body }: RequestInit) => {
    sent.push({ url, method, body })
    return new Response('{}', { headers: { 'content-type': 'application/json' } })
  },
}
const typed = createClient<paths>(options)
const untyped = createClient(options)

interface Optimization {
  id: string
  goal: string
  status: string
}

describe('a client with the paths of a document', () => {
  test('types the bodies of success and created, without their trace', async () => {
    const listed = await typed.request({
      path: '/campaigns/{campaignId}/optimizations',
      method: 'GET',
      params: { campaignId: 'c1' },
      query: { limit: 3, goal: ['ctr'] },
    })
    if (listed.type === 'success')
      expectTypeOf(listed.body[0]).toExtend<{ id: string; goal: string } | undefined>()
    const made = await typed.request({
      path: '/campaigns/{campaignId}/optimizations',
      method: 'POST',
      params: { campaignId: 'c1' },
      headers: { 'X-Region': 'eu', 'X-Other': 'fine' },
      body: { goal: 'ctr', budget: 3 },
    })
    if (made.type === 'created') expectTypeOf(made.body).toEqualTypeOf<Optimization>()
    if (made.type === 'success') expectTypeOf(made.body).toEqualTypeOf<unknown>()
    const pong = await typed.request({ path: '/ping', method: 'GET' })
    if (pong.type === 'success') expectTypeOf(pong.body).toEqualTypeOf<string>()
    expect(sent).toEqual([
      { url: 'http://example.test/campaigns/c1/optimizations?limit=3&goal=ctr', method: 'GET', body: null },
      {
        url: 'http://example.test/campaigns/c1/optimizations',
        method: 'POST',
        body: '{"goal":"ctr","budget":3}',
      },
      { url: 'http://example.test/ping', method: 'GET', body: null },
    ])
  })

  test('refuses what the document does not have', () => {
    // The calls are never made; only the compiler checks them.
    const wrong = [
      // @ts-expect-error there is no such path
      () => typed.request({ path: '/nowhere', method: 'GET' }),
      // @ts-expect-error the path has no such method
      () => typed.request({ path: '/ping', method: 'POST' }),
      () =>
        // @ts-expect-error the parameters are missing
        typed.request({ path: '/campaigns/{campaignId}/optimizations', method: 'GET', query: { limit: 3 } }),
      () =>
        typed.request({
          path: '/campaigns/{campaignId}/optimizations',
          method: 'GET',
          params: { campaignId: 'c1' },
          // @ts-expect-error the limit is missing
          query: { goal: ['ctr'] },
        }),
      () =>
        typed.request({
          path: '/campaigns/{campaignId}/optimizations',
          method: 'POST',
          params: { campaignId: 'c1' },
          headers: { 'X-Region': 'eu' },
          // @ts-expect-error no such goal
          body: { goal: 'fame' },
        }),
      () =>
        typed.request({
          path: '/campaigns/{campaignId}/optimizations',
          method: 'POST',
          params: { campaignId: 'c1' },
          // @ts-expect-error the header is missing
          headers: {},
          body: { goal: 'ctr' },
        }),
      // @ts-expect-error the operation has no parameters
      () => typed.request({ path: '/ping', method: 'GET', params: { a: 'b' } }),
      // @ts-expect-error the operation has no body
      () => typed.request({ path: '/ping', method: 'GET', body: {} }),
      // @ts-expect-error there is no such member
      () => typed.request({ path: '/ping', method: 'GET', timeout: 3 }),
      // @ts-expect-error a stream is an operation of the document too
      () => typed.stream({ path: '/llm/completions', method: 'POST', body: { prompt: 3 } }),
    ]
    expect(wrong).toHaveLength(10)
  })

  test('lets a run leave out what the service will ask for, but nothing else', () => {
    const calls = [
      () =>
        typed.run(
          {
            path: '/campaigns/{campaignId}/optimizations',
            method: 'POST',
            params: { campaignId: 'c1' },
            body: {},
          },
          { onClarification: () => ({ goal: 'ctr' }) },
        ),
      () =>
        typed.run({
          path: '/campaigns/{campaignId}/optimizations',
          method: 'GET',
          params: { campaignId: 'c1' },
        }),
      () =>
        typed.run({
          path: '/campaigns/{campaignId}/optimizations',
          method: 'POST',
          params: { campaignId: 'c1' },
          // @ts-expect-error no such goal
          body: { goal: 'fame' },
        }),
      // @ts-expect-error a path without its parameters cannot be sent
      () => typed.run({ path: '/campaigns/{campaignId}/optimizations', method: 'POST' }),
    ]
    expect(calls).toHaveLength(4)
  })
})

describe('a client without a document', () => {
  test('takes any path and gives bodies that are unknown', async () => {
    expectTypeOf(untyped).toEqualTypeOf<Client>()
    const outcome = await untyped.request({ path: '/any/{thing}', method: 'PURGE', params: { thing: 1 } })
    expectTypeOf(outcome.answer).toEqualTypeOf<Answer>()
    if (outcome.type === 'success') expectTypeOf(outcome.body).toEqualTypeOf<unknown>()
    expectTypeOf(outcome).toExtend<Outcome>()
    expectTypeOf<ReExported>().toEqualTypeOf<Outcome>()
    expect(sent.at(-1)).toEqual({ url: 'http://example.test/any/1', method: 'PURGE', body: null })
  })

  test('believes what the caller says of a body', async () => {
    const outcome = await untyped.request<{ stock: number }>({ path: '/stock', method: 'GET' })
    if (outcome.type === 'success') expectTypeOf(outcome.body.stock).toEqualTypeOf<number>()
    expect(outcome).toEqual({ type: 'success', body: {} })
  })
})

describe('a switch over the type of an answered outcome', () => {
  test('has to name all ten', async () => {
    const outcome = await untyped.request({ path: '/stock', method: 'GET' })
    const words = (): string => {
      switch (outcome.type) {
        case 'success':
        case 'created':
          return 'done'
        case 'accepted':
          return outcome.statusUrl
        case 'clarification_required':
          return outcome.requiredInputs[0].question
        case 'validation_failed':
          return outcome.errors.map(({ field }) => field).join()
        case 'approval_required':
          return outcome.approvalToken
        case 'forbidden':
        case 'conflict':
        case 'failed_dependency':
        case 'error':
          return outcome.code
      }
    }
    // @ts-expect-error without the other nine it does not return on every path
    const forgotten = (): string => {
      switch (outcome.type) {
        case 'success':
          return 'done'
      }
    }
    expect([words(), forgotten()]).toEqual(['done', 'done'])
  })

  test('can pass the outcome on as if it were a plain one', async () => {
    const outcome = await untyped.request({ path: '/stock', method: 'GET' })
    expect(Object.keys(outcome)).toEqual(['type', 'body'])
    expect({ ...outcome }).toStrictEqual({ type: 'success', body: {} })
    expect(JSON.stringify(outcome)).toBe('{"type":"success","body":{}}')
    expect(outcome.answer.status).toBe(200)
  })
})
