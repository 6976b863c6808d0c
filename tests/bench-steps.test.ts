import { expect, test } from 'vitest'
import { stepTable, stepTimes } from '../bench/steps.ts'

const file = (path: string) => `file:///x/packages/gateway/src/${path}`
const wire = (path: string) => `file:///x/packages/http1/src/${path}`
const node = (id: number, [functionName, url]: readonly [string, string], ...children: number[]) => ({
  id,
  callFrame: { functionName, url, lineNumber: 1 },
  children,
})

const profile = {
  nodes: [
    node(1, ['(root)', ''], 2, 3, 4),
    node(2, ['(idle)', '']),
    node(3, ['(garbage collector)', '']),
    node(4, ['onStreamRead', 'node:internal/stream_base_commons'], 5),
    node(5, ['receive', wire('server/connection.ts')], 6, 7),
    node(6, ['headerName', wire('header-name.ts')]),
    node(7, ['handle', file('line/handle.ts')], 8, 9, 12),
    node(8, ['request', file('plugins/token-validator/token-validator.ts')]),
    node(9, ['write', wire('client/request-writer.ts')], 10),
    node(10, ['write', wire('head-buffer.ts')], 11),
    node(11, ['writeBuffer', '']),
    node(12, ['passOn', file('line/deliver.ts')], 13),
    node(13, ['end', wire('server/reply.ts')]),
  ],
  samples: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
  timeDeltas: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
}

test('a sample belongs to the step of its innermost function, shared code to the step of its caller', () => {
  expect(Object.fromEntries(stepTimes(profile, 0))).toEqual({
    'sockets and event loop': 1 + 8,
    'garbage collection': 4,
    listen: 16 + 32,
    'rest of the line': 64,
    'token-validator': 128,
    upstream: 256 + 512 + 1024,
    deliver: 2048 + 4096,
  })
})

test('the beginning of a profile does not count', () => {
  expect(Object.fromEntries(stepTimes(profile, 0.9))).toEqual({ deliver: 2048 + 4096 })
})

test('the table shares the time of a request among the steps, the dearest first', () => {
  const table = stepTable(
    new Map([
      ['listen', 10],
      ['upstream', 30],
    ]),
    20,
  )
  expect(table).toBe('| Step | CPU µs |\n|---|---:|\n| upstream | 15.0 |\n| listen | 5.0 |\n')
})
