import { beforeAll, describe, expect, test } from 'vitest'
import { type Report, rules } from '../src/index.ts'
import { askWrongService } from './ask-wrong-service.ts'
import { type Violation, violations } from './violations.ts'

// A run mostly waits for streams and deadlines, so parallel runs cost little.
const AT_ONCE = 10

const reports = new Map<Violation | undefined, Report>()

beforeAll(async () => {
  const waiting: (Violation | undefined)[] = [undefined, ...violations]
  const work = async () => {
    for (let next = waiting.splice(0, 1); next.length > 0; next = waiting.splice(0, 1)) {
      const [violation] = next
      const { scenario, ...wrongs } = violation ?? {}
      reports.set(violation, await askWrongService(wrongs, scenario === undefined ? {} : { scenario }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
})

function reportOf(violation?: Violation): Report {
  return reports.get(violation) ?? expect.fail('it was not asked')
}

describe('the service that can be wrong', () => {
  test('passes every rule when nothing is wrong with it, and shows all ten outcomes', () => {
    const { rows, outcomes, counts, problems } = reportOf()
    expect(rows.filter(({ result }) => result === 'fail')).toEqual([])
    expect(outcomes).toEqual({ observed: 10, total: 10, notObserved: [] })
    expect(problems).toEqual([])
    expect(counts).toMatchObject({ fail: 0, expectedFailures: 0, unexpectedPasses: 0 })
    const passed = new Set(rows.filter(({ result }) => result === 'pass').map(({ rule }) => rule))
    expect(rules.map(({ id }) => id).filter((id) => !passed.has(id))).toEqual([])
  })

  test.each(violations)('$rule finds, and it alone: $title', (violation) => {
    const { rows, problems } = reportOf(violation)
    const failed = rows.filter(({ result }) => result === 'fail')
    expect([...new Set(failed.map(({ rule }) => rule))], JSON.stringify(failed, null, 2)).toEqual([
      violation.rule,
    ])
    expect(problems).toEqual([])
  })
})

test('there are more than 25 violations, and every rule has one', () => {
  expect(violations.length).toBeGreaterThanOrEqual(25)
  const found = new Set(violations.map(({ rule }) => rule))
  expect(rules.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([])
})
