import { setTimeout as pause } from 'node:timers/promises'
import { outcomes } from '@agentic-rest/profile'
import type { Probe, Step } from '../scenario/scenario-schema.ts'
import type { Answer, Exchange } from '../wire/exchange.ts'
import { valueAt } from './json-path.ts'
import type { Observation, ObservationName, Seen } from './observation.ts'
import { prepare, type Run, type Sending, UnknownValueError } from './run.ts'
import { TokenSourceError } from './tokens.ts'

/** A step without the expected answer. */
export class StepError extends Error {
  override readonly name = 'StepError'
}

const PAUSE_MS = 100

/** Runs the steps before a request; resolves with the captured values. */
export async function takeSteps(run: Run, steps: readonly Step[] = []): Promise<Map<string, string>> {
  const values = new Map<string, string>()
  for (const [index, step] of steps.entries()) {
    const answer = await takeStep(run, step, { values, title: `setup step ${index + 1}` })
    for (const [name, source] of Object.entries(step.capture ?? {}))
      values.set(name, captured(answer, source, `setup step ${index + 1}`))
  }
  return values
}

/** Runs the setup of a probe, sends its request and runs its cleanup. */
export async function sendProbe(
  run: Run,
  { setup, request, cleanup }: Probe,
  sending: Sending = {},
): Promise<Exchange> {
  const values = await takeSteps(run, setup)
  const exchange = await run.wire.send(await prepare(run, request, { ...sending, values }))
  await cleanUp(run, cleanup, values)
  return exchange
}

/** Runs cleanup steps and ignores their answers. The next run must cope with leftovers anyway. */
export async function cleanUp(
  run: Run,
  steps: readonly Step[] = [],
  values: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  for (const step of steps)
    await prepare(run, step, { values })
      .then((request) => run.wire.send(request))
      .catch(() => undefined)
}

interface StepContext {
  readonly values: ReadonlyMap<string, string>
  readonly title: string
}

async function takeStep(run: Run, step: Step, { values, title }: StepContext): Promise<Answer> {
  const endAt = performance.now() + (step.until?.seconds ?? 0) * 1000
  for (;;) {
    const { answer, failure } = await run.wire.send(await prepare(run, step, { values }))
    if (answer === undefined) throw new StepError(`${title} got no answer: ${failure}`)
    if (!isExpected(step, answer))
      throw new StepError(
        `${title} expects ${step.expect?.join(' or ') ?? 'a status of 2xx'} and got ${answer.status}`,
      )
    if (step.until === undefined) return answer
    const value = JSON.stringify(valueAt(answer.json?.value, step.until.path))
    if (step.until.in.some((wanted) => JSON.stringify(wanted) === value)) return answer
    if (performance.now() > endAt) throw new StepError(`${title} waited ${step.until.seconds} s in vain`)
    await pause(PAUSE_MS)
  }
}

function isExpected({ expect }: Step, { status }: Answer): boolean {
  if (expect === undefined) return Math.floor(status / 100) === 2
  return expect.some((type) => outcomes[type].status === status)
}

function captured({ headers, json }: Answer, source: string, title: string): string {
  const value = source.startsWith('header:')
    ? headers.get(source.slice('header:'.length).toLowerCase())
    : valueAt(json?.value, source)
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new StepError(`${title} has no text or number at ${source}`)
}

const expected = [StepError, TokenSourceError, UnknownValueError]

/** Makes an observation. An error of the scenario is recorded, and the observation is missing. */
export async function attempt(
  run: Run,
  name: ObservationName,
  observe: () => Promise<Omit<Observation, 'name'> | string>,
): Promise<Seen> {
  try {
    const seen = await observe()
    return typeof seen === 'string' ? { name, missing: seen } : { name, ...seen }
  } catch (error) {
    if (!(error instanceof Error) || !expected.some((kind) => error instanceof kind)) throw error
    run.problem(`${name}: ${error.message}`)
    return { name, missing: error.message }
  }
}
