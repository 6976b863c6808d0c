import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { expect, it, onTestFinished } from 'vitest'
import {
  clarificationRequired,
  created,
  defineOperation,
  error,
  type Outcome,
  success,
} from '../src/index.ts'
import { ask, expectAnswer, expectInvalid } from './harness/ask.ts'

const store = sharedStore()
const failed = { type: 'error', code: 'INTERNAL_ERROR', message: 'The operation failed.' }

async function serveRun(run: () => Outcome | Promise<Outcome>) {
  const operation = defineOperation({ id: 'op', method: 'POST', path: '/op', run })
  return startService({ operations: [operation] })
}

it('what is thrown is a 500 whose cause is in the log alone', async () => {
  const { url, log } = await serveRun(() => {
    throw new Error('the password is secret', { cause: new Error('connect db.internal:5432') })
  })
  const answer = await ask(`${url}/op`, { method: 'POST' })
  expectAnswer(answer, 500, failed)
  expect(answer.text).not.toMatch(/secret|internal|\bat\b/)
  expect([...answer.headers].flat().join()).not.toMatch(/secret|db\.internal/)
  expect(log).toEqual([
    {
      level: 'error',
      message: 'an operation failed',
      fields: { correlationId: 'corr-1', requestId: 'req-1', cause: expect.any(Error) },
    },
  ])
  expect(log.map(({ fields }) => (fields['cause'] as Error).message)).toEqual(['the password is secret'])
})

it.each<[string, () => unknown]>([
  ['a text is thrown', () => Promise.reject('text')],
  ['nothing is returned', () => undefined],
  ['something else is returned', () => ({ ok: true })],
  ['a question asks for nothing', () => clarificationRequired({ message: 'm', requiredInputs: [] as never })],
  ['a body cannot be written', () => success({ big: 1n })],
  ['a retryAfter stands where it does not belong', () => error({ code: 'X', message: 'm', retryAfter: 1 })],
])('when %s, the answer is a 500 all the same', async (_title, run) => {
  const { url, log } = await serveRun(run as () => Outcome)
  expectAnswer(await ask(`${url}/op`, { method: 'POST' }), 500, failed)
  expect(log.map(({ level }) => level)).toEqual(['error'])
})

it('a schema that throws is a 500', async () => {
  const input = {
    '~standard': {
      version: 1 as const,
      vendor: 'broken',
      validate: () => {
        throw new Error('broken')
      },
    },
  }
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    input,
    inputJsonSchema: { type: 'object' },
    run: () => success({}),
  })
  const { url } = await startService({ operations: [operation] })
  expectAnswer(await ask(`${url}/op`, { method: 'POST' }), 500, failed)
})

it('a header that cannot be sent is a 500 and not a broken answer', async () => {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    run: ({ setHeader }) => {
      setHeader('Location', 'a\r\nX-Injected: 1')
      return created({})
    },
  })
  const { url } = await startService({ operations: [operation] })
  const answer = await ask(`${url}/op`, { method: 'POST' })
  expectAnswer(answer, 500, failed)
  expect(answer.headers.has('x-injected')).toBe(false)
})

it('an operation can add headers but not change those of the profile', async () => {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    run: ({ setHeader }) => {
      setHeader('Location', '/things/1')
      setHeader('X-Agentic-Profile', 'v9')
      setHeader('content-type', 'text/html')
      setHeader('X-Request-ID', 'other')
      return created({ id: '1' })
    },
  })
  const { url } = await startService({ operations: [operation] })
  const answer = await ask(`${url}/op`, { method: 'POST' })
  expectAnswer(answer, 201, { id: '1' })
  expect(answer.headers.get('location')).toBe('/things/1')
})

it.each(['/things/\n1', '/things/ü', '', '/a b'])(
  'a created resource at %j is a fault of the operation',
  async (location) => {
    const run = () => created({}, { location })
    const operation = defineOperation({ id: 'op', method: 'POST', path: '/op', run })
    const { url } = await startService({ operations: [operation] })
    expectAnswer(await ask(`${url}/op`, { method: 'POST' }), 500, failed)
  },
)

it.each([
  ['/things/1', '/agents/things/1'],
  ['https://things.example/1', 'https://things.example/1'],
  ['//things.example/1', '//things.example/1'],
  ['1', '1'],
])('a created resource at %s is announced as %s', async (location, announced) => {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    run: ({ setHeader }) => {
      setHeader('Location', '/elsewhere')
      return created({ id: '1' }, { location })
    },
  })
  const { url } = await startService({ operations: [operation], publicPath: '/agents' })
  const answer = await ask(`${url}/op`, { method: 'POST' })
  expectAnswer(answer, 201, { id: '1' })
  expect(answer.headers.get('location')).toBe(announced)
})

it('a run that throws after it has committed is answered with what was committed', async () => {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    async run({ commit }) {
      await commit(async () => created({ id: 1 }))
      throw new Error('too late')
    },
  })
  const { url, log } = await startService({ operations: [operation], store })
  expectAnswer(await ask(`${url}/op`, { method: 'POST' }), 201, { id: 1 })
  expect(log.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'run failed after it had committed'],
  ])
})

it('headers that frame the answer cannot be set', async () => {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    run({ setHeader }) {
      setHeader('Content-Length', '3')
      setHeader('Transfer-Encoding', 'gzip')
      setHeader('Connection', 'upgrade')
      return success({ hello: 'world' })
    },
  })
  const { url } = await startService({ operations: [operation] })
  expectAnswer(await ask(`${url}/op`, { method: 'POST' }), 200, { hello: 'world' })
})

it('a log and an audit emitter that both throw disturb no request', async () => {
  const broken = () => {
    throw new Error('broken')
  }
  const unhandled: unknown[] = []
  const keep = (cause: unknown) => void unhandled.push(cause)
  process.on('unhandledRejection', keep)
  onTestFinished(() => void process.off('unhandledRejection', keep))
  const operation = defineOperation({ id: 'op', method: 'POST', path: '/op', run: broken })
  const { url } = await startService({
    operations: [operation],
    log: { debug: broken, info: broken, warn: broken, error: broken },
    audit: { emit: async () => broken() },
  })
  expectAnswer(await ask(`${url}/op`, { method: 'POST' }), 500, failed)
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
})

it('a subject that is too long is a fault of the request', async () => {
  const { url } = await serveRun(() => success({}))
  const answer = await ask(`${url}/op`, { method: 'POST', headers: { 'x-actor-subject': 's'.repeat(513) } })
  expectInvalid(answer, [{ field: 'X-Actor-Subject', message: 'has to be 1 to 512 bytes' }])
})
