import { once } from 'node:events'
import { connect } from 'node:net'
import type { ExpectedFailure } from './expected-failures.ts'
import { observe, type Stage } from './observe/observe.ts'
import { createTokens } from './observe/tokens.ts'
import { createReport, type Report } from './report/report.ts'
import { applyRule } from './rule.ts'
import { rules as allRules } from './rules.ts'
import type { Environment } from './scenario/fill-references.ts'
import { type Scenario, type ScenarioInput, scenarioSchema } from './scenario/scenario-schema.ts'
import { usualLimits, wordFailure } from './wire/send.ts'
import { createSender } from './wire/sender.ts'

/** What to ask, and how. */
export interface ConformanceOptions {
  /** The address of the gateway or service; a path in it stays in front of every path of the scenario. */
  readonly baseUrl: string
  /** How the outcomes are provoked; without it next to nothing can be observed. */
  readonly scenario?: ScenarioInput
  /** Ids of the rules to apply; all of them when absent. */
  readonly rules?: readonly string[]
  readonly expectedFailures?: readonly ExpectedFailure[]
  /** Where tokens with `env` are looked up; nowhere when absent. */
  readonly env?: Environment
  /** File names and commands of the scenario start from here; the working folder when absent. */
  readonly folder?: string
  /** How long one answer is waited for; 15 seconds when absent. */
  readonly timeoutMs?: number
  readonly onProgress?: (stage: Stage) => void
}

/** Nothing listens at the address. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

const CONNECT_TIMEOUT_MS = 5_000

/** Asks a live service or gateway whether it keeps the profile. It rejects only when nothing listens there. */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const { baseUrl, expectedFailures = [], env = {}, folder = process.cwd() } = options
  const rules = chooseRules(options.rules)
  const scenario: Scenario = scenarioSchema.parse(options.scenario ?? {})
  await reach(baseUrl)
  const startedAt = new Date()
  const start = performance.now()
  const tokens = createTokens({ sources: scenario.tokens ?? {}, env, folder })
  const problems: string[] = []
  const wire = createSender(options.timeoutMs ?? usualLimits.timeoutMs)
  const wanted = new Set(rules.flatMap(({ looksAt }) => looksAt))
  const run = { baseUrl, scenario, tokens, wire, wanted, problem: (text: string) => void problems.push(text) }
  const evidence = await observe(run, { folder, onStage: options.onProgress })
  return createReport({
    judgements: rules.flatMap((rule) => applyRule(rule, evidence)),
    baseUrl,
    startedAt,
    seconds: (performance.now() - start) / 1000,
    problems,
    secrets: tokens.secrets(),
    expectedFailures,
  })
}

function chooseRules(ids: readonly string[] | undefined) {
  if (ids === undefined) return allRules
  const unknown = ids.find((id) => !allRules.some((rule) => rule.id === id))
  if (unknown !== undefined) throw new RangeError(`there is no rule ${JSON.stringify(unknown)}`)
  return allRules.filter(({ id }) => ids.includes(id))
}

/** Without anybody there a report would say "not observed" sixty times and mean "not started". */
async function reach(baseUrl: string): Promise<void> {
  const { protocol, hostname, port } = new URL(baseUrl)
  if (!['http:', 'https:'].includes(protocol)) throw new TypeError('the address has to be http or https')
  const usual = protocol === 'https:' ? 443 : 80
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usual) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
  } catch (error) {
    throw new UnreachableError(
      `nothing answers at ${new URL(baseUrl).origin}: ${wordFailure(reasonOf(error), CONNECT_TIMEOUT_MS)}`,
    )
  } finally {
    socket.destroy()
  }
}

function reasonOf(error: unknown): unknown {
  // `localhost` is tried by two addresses, and both failures come in one.
  if (error instanceof AggregateError) return error.errors[0]
  return error instanceof Error && error.name === 'AbortError' ? error.cause : error
}
