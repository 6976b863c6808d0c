import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import { expect, test } from 'vitest'
import { parseJson } from '../src/parse-json.ts'

// V8 compiles the reader from what it has seen so far. Before these texts it must not have seen an escape, so this file has a
// process of its own: compiled like that, an earlier reader searched the whole document once for every text in it.
test('a large document takes linear time after many small ones', async () => {
  for (let count = 0; count < 200_000; count += 1) parseJson('{"type":"conflict","code":1,"list":["a","b"]}')
  const workOf = (count: number) => {
    const text = JSON.stringify(Array(count).fill({ type: 'conflict', message: 'm', trace: { id: 'x' } }))
    return () => parseJson(text)
  }
  expect(await growth({ workOf, size: 4000 })).toBeLessThan(LINEAR)
})
