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

/** The options of a run. */
export interface ConformanceOptions {
  /** The address of the gateway or service. Its path is the prefix of all paths of the scenario. */
  readonly baseUrl: string
  /** The requests for each outcome. Without it almost no rule can be observed. */
  readonly scenario?: ScenarioInput
  /** Ids of the rules to apply; all by default. */
  readonly rules?: readonly string[]
  readonly expectedFailures?: readonly ExpectedFailure[]
  /** The environment of tokens with `env`; empty by default. */
  readonly env?: Environment
  /** The folder for files and commands of the scenario; the working folder by default. */
  readonly folder?: string
  /** The time limit of one answer; 15 seconds by default. */
  readonly timeoutMs?: number
  readonly onProgress?: (stage: Stage) => void
}

/** Nothing listens at the address. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

const CONNECT_TIMEOUT_MS = 5_000

/** Tests a live service or gateway against the profile. It rejects only if nothing listens at the address. */
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

/** Fails early if nothing listens. Otherwise the report would say "not observed" for every rule. */
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
  // `localhost` has two addresses; the error contains both failures.
  if (error instanceof AggregateError) return error.errors[0]
  return error instanceof Error && error.name === 'AbortError' ? error.cause : error
}
