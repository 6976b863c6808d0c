import type { Outcome } from '@agentic-rest/profile'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

const forbidden = { type: 'forbidden', code: 'NO', message: 'No.' }
const circular: Record<string, unknown> = { ...forbidden }
circular['self'] = circular

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

/** Values that are no outcome, with the reason that the log gives. */
const invalid: Readonly<Record<string, readonly [value: unknown, reason: RegExp]>> = {
  null: [null, /not null/],
  'a text': ['forbidden', /not a string/],
  'a number': [403, /not a number/],
  true: [true, /not a boolean/],
  'a function': [() => forbidden, /not a function/],
  'a list': [[forbidden], /not a list/],
  'an empty object': [{}, /one of the ten types/],
  'an unknown type': [{ ...forbidden, type: 'teapot' }, /one of the ten types/],
  'a type of the prototype': [{ ...forbidden, type: 'toString' }, /one of the ten types/],
  'a status instead of a type': [{ status: 403 }, /one of the ten types/],
  'no code': [{ type: 'forbidden', message: 'No.' }, /forbidden is not valid: \/code/],
  'a message that is no text': [{ ...forbidden, message: 7 }, /\/message must be a string/],
  'a key that the body does not have': [{ ...forbidden, status: 403 }, /\/status/],
  'no inputs': [{ type: 'clarification_required', message: 'x', requiredInputs: [] }, /requiredInputs/],
  'an unknown condition': [
    { type: 'error', code: 'X', message: 'x', condition: 'teapot' },
    /no condition "teapot"/,
  ],
  'retryAfter without its condition': [
    { type: 'error', code: 'X', message: 'x', retryAfter: 1 },
    /retryAfter/,
  ],
  'a condition of another type': [{ ...forbidden, condition: 'not_found' }, /\/condition/],
  'a circle': [circular, /circular/i],
  'a bigint': [{ type: 'success', body: 1n }, /BigInt/],
  'nesting that overflows the stack': [{ type: 'success', body: nested(200_000) }, /stack/],
  'a getter that throws': [
    {
      get type() {
        throw new Error('the getter threw')
      },
    },
    /the getter threw/,
  ],
}

test.each(Object.keys(invalid))(
  '%s is PLUGIN_FAILED for its request alone, and the log says why',
  async (name) => {
    const [value, reason] = invalid[name] ?? [undefined, /never/]
    const state = { next: value }
    const { url, log, upstream } = await startWithPlugins([
      pluginOf({ request: () => state.next as Outcome }),
    ])
    for (const next of [value, Promise.resolve(value)]) {
      state.next = next
      expectRefusal(await sendRequest(`${url}/items/1`), 500, 'PLUGIN_FAILED')
    }
    expect(upstream.requests).toEqual([])
    const lines = log.filter(({ level }) => level === 'error')
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).toMatchObject({
        msg: 'a plugin returned an invalid outcome',
        plugin: 'mine',
        request_id: 'req-1',
        reason: expect.stringMatching(reason),
      })
    }
    state.next = undefined
    expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  },
)

test('an outcome is read once: a getter cannot give another one when it is sent', async () => {
  let reads = 0
  const outcome = {
    type: 'forbidden',
    code: 'NO',
    get message() {
      reads += 1
      return reads === 1 ? 'No.' : 7
    },
  }
  const { url } = await startWithPlugins([pluginOf({ request: () => outcome as unknown as Outcome })])
  const { status, body } = await sendRequest(`${url}/items/1`)
  expect([status, JSON.parse(body.toString()).message, reads]).toEqual([403, 'No.', 1])
})
