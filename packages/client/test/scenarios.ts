import { exchangeScenarios } from './scenarios/exchange-scenarios.ts'
import { failureScenarios } from './scenarios/failure-scenarios.ts'
import { runScenarios } from './scenarios/run-scenarios.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { streamScenarios } from './scenarios/stream-scenarios.ts'

/**
 * The behaviour of a client against the scenario service, without a test framework, so that Node and browsers run the
 * same list.
 */
export const scenarios: readonly Scenario[] = [
  ...exchangeScenarios,
  ...failureScenarios,
  ...runScenarios,
  ...streamScenarios,
]
