import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rules, runConformance } from '../src/index.ts'
import { violations } from './violations.ts'
import { wrongScenario, wrongTokens } from './wrong-service/scenario.ts'
import { startWrongService, type Wrongs } from './wrong-service.ts'

async function ask(wrongs: Wrongs, scenario: object = {}) {
  return await runConformance({
    baseUrl: await startWrongService(wrongs),
    scenario: { ...wrongScenario, ...scenario },
    env: wrongTokens,
    folder: join(import.meta.dirname, 'files'),
  })
}

describe.concurrent('the service that can be wrong', () => {
  test('passes every rule when nothing is wrong with it, and shows all ten outcomes', async () => {
    const { rows, outcomes, counts, problems } = await ask({})
    expect(rows.filter(({ result }) => result === 'fail')).toEqual([])
    expect(outcomes).toEqual({ observed: 10, total: 10, notObserved: [] })
    expect(problems).toEqual([])
    expect(counts).toMatchObject({ fail: 0, expectedFailures: 0, unexpectedPasses: 0 })
    const passed = new Set(rows.filter(({ result }) => result === 'pass').map(({ rule }) => rule))
    expect(rules.map(({ id }) => id).filter((id) => !passed.has(id))).toEqual([])
  })

  test.each(violations)('$rule finds, and it alone: $title', async ({ rule, scenario, ...wrongs }) => {
    const { rows, problems } = await ask(wrongs, scenario)
    const failed = rows.filter(({ result }) => result === 'fail')
    expect([...new Set(failed.map((row) => row.rule))], JSON.stringify(failed, null, 2)).toEqual([rule])
    expect(problems).toEqual([])
  })
})

test('there are more than 25 violations, and every rule has one', () => {
  expect(violations.length).toBeGreaterThanOrEqual(25)
  const found = new Set(violations.map(({ rule }) => rule))
  expect(rules.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([])
})
