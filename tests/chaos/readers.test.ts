import { expect, test } from 'vitest'
import { compareReaders, differenceOf } from '../../chaos/differential/compare-readers.ts'
import { type Reading, readWithGateway, readWithNode } from '../../chaos/differential/readers.ts'
import { vectors } from '../../chaos/vectors/vectors.ts'
import { expectReached } from './run-short.ts'

test('the reader of the gateway and that of Node frame no bytes differently', async () => {
  const seed = Number(process.env['SEED'])
  const tell = (line: string) => void process.stdout.write(`${line}\n`)
  tell(`readers: SEED=${seed}`)
  const { signal } = new AbortController()
  expectReached(await compareReaders({ scale: {}, seed, folder: '', tell, signal }, 2000))
})

test('the gateway accepts no smuggling vector that Node refuses', () => {
  const kinds = vectors.map(({ text }) => {
    const bytes = Buffer.from(text, 'latin1')
    return differenceOf(readWithGateway(bytes), readWithNode(bytes))?.kind
  })
  expect(kinds.filter((kind) => kind !== undefined && kind !== 'node alone')).toEqual([])
})

const request = { head: 'GET /', body: 'ab', isComplete: true }
const reading = (change: Partial<Reading> = {}): Reading => ({
  requests: [request],
  end: 'between',
  ...change,
})
const refused = { requests: [], end: 'HPE_X' }

test.each([
  ['nothing', reading(), reading(), undefined],
  ['another head', reading(), reading({ requests: [{ ...request, head: 'GET /b' }] }), 'framed differently'],
  ['another body', reading(), reading({ requests: [{ ...request, body: 'a' }] }), 'framed differently'],
  ['a request more', reading({ requests: [request, request] }), reading(), 'gateway alone'],
  ['a request less', reading(refused), reading(), 'node alone'],
  ['one that only the gateway accepts', reading(), reading(refused), 'gateway alone'],
  [
    'a body without an end that the check of heads does not notice',
    reading({ requests: [{ ...request, isServedUnframed: true }] }),
    reading(),
    'served unframed',
  ],
  ['bytes behind the last request', reading({ end: 'last' }), reading({ end: 'HPE_X' }), undefined],
])('a difference is seen: %s', (_title, gateway, node, kind) => {
  expect(differenceOf(gateway, node)?.kind).toBe(kind)
})
