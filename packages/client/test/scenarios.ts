import { exchangeScenarios } from './scenarios/exchange-scenarios.ts'
import { failureScenarios } from './scenarios/failure-scenarios.ts'
import { runScenarios } from './scenarios/run-scenarios.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { streamScenarios } from './scenarios/stream-scenarios.ts'

/**
 * What a client does against the scenario service, without any test framework: Node's `fetch` and a browser's run
 * the same list.
 */
export const scenarios: readonly Scenario[] = [
  ...exchangeScenarios,
  ...failureScenarios,
  ...runScenarios,
  ...streamScenarios,
]
