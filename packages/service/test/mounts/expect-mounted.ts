import { expect } from 'vitest'
import { ask, expectAnswer, expectInvalid, expectQuestion } from '../harness/ask.ts'

/** Checks a mounted service: bodies, questions, faults, ids, unknown paths, large bodies. */
export async function expectMounted(url: string): Promise<void> {
  const path = `${url}/campaigns/cmp%201/optimizations`
  expectAnswer(await ask(path, { json: { goal: 'ctr' } }), 201, {
    campaignId: 'cmp 1',
    goal: 'ctr',
    status: 'accepted',
  })
  expectQuestion(await ask(path, { json: {} }), [
    {
      name: 'goal',
      location: 'body',
      type: 'string',
      required: true,
      question: 'Which goal?',
      allowedValues: ['ctr', 'reach'],
    },
  ] as never)
  expectInvalid(await ask(path, { body: '{', headers: { 'content-type': 'application/json' } }), [
    { field: 'body', message: 'The body is not valid JSON.' },
  ])
  expectInvalid(
    await ask(path, { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    [{ field: 'Content-Type', message: 'The body has to be sent as application/json.' }],
  )
  expectAnswer(await ask(`${url}/campaigns`), 404, {
    type: 'error',
    code: 'NOT_FOUND',
    message: 'There is no such resource.',
  })
  expect((await ask(path)).headers.get('allow')).toBe('POST')
  expectAnswer(await ask(path, { json: { goal: 'x'.repeat(2_000_000) } }), 413, {
    type: 'error',
    code: 'BODY_TOO_LARGE',
    message: 'The request body is larger than allowed.',
  })
  const document = JSON.parse((await ask(`${url}/openapi.json`)).text)
  expect(Object.keys(document.paths)).toContain('/campaigns/{campaignId}/optimizations')
}
