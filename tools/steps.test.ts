import { expect, test } from 'vitest'
import { isClean, runSteps, type StepResult } from './steps.ts'

test('all steps run and are reported, even when one finds faults or throws', async () => {
  const fault = { path: 'a.ts', line: 1, message: 'wrong' }
  const reported: StepResult[] = []
  const results = await runSteps(
    [
      { name: 'throws', run: () => Promise.reject(new Error('broken')) },
      { name: 'finds', run: () => [fault] },
      { name: 'clean', run: () => Promise.resolve([]) },
    ],
    (result) => reported.push(result),
  )
  expect(reported).toEqual(results)
  const byName = new Map(results.map((result) => [result.name, result]))
  expect(byName.get('throws')?.crash).toContain('broken')
  expect(byName.get('finds')?.faults).toEqual([fault])
  expect(results.filter(isClean).map(({ name }) => name)).toEqual(['clean'])
})
