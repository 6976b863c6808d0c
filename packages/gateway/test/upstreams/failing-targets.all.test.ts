import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import type { TestGateway } from '@agentic-rest/testing/start-gateway'
import { expect, it } from 'vitest'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'
import { startBalanced } from './start-targets.ts'

const FAILURES = 5
const AFTER_DETECTION = 50
const HEALTHY_AFTER = 2

/** A fault of a service, and its end. */
interface Fault {
  readonly name: string
  begin(service: ServiceProcess): Promise<void> | void
  end(service: ServiceProcess): Promise<void> | void
}

const faults: readonly Fault[] = [
  { name: 'killed', begin: (service) => service.signal('SIGKILL'), end: (service) => service.start() },
  {
    name: 'paused',
    begin: (service) => service.signal('SIGSTOP'),
    end: (service) => service.signal('SIGCONT'),
  },
  ...(['slow', 'resetting', 'failing'] as const).map((mode) => ({
    name: mode,
    begin: (service: ServiceProcess) => service.setMode(mode),
    end: (service: ServiceProcess) => service.setMode('ok'),
  })),
]

interface Kind {
  readonly name: 'safe' | 'keyed' | 'other'
  readonly options: object
}

const kinds: readonly Kind[] = [
  { name: 'safe', options: {} },
  { name: 'keyed', options: { method: 'POST', body: '{}', headers: { 'idempotency-key': 'k' } } },
  { name: 'other', options: { method: 'POST', body: '{}' } },
]

/** Two services behind a gateway with short times; the first one is about to fail. */
async function startPair() {
  const [first, second] = await Promise.all([startServiceProcess(), startServiceProcess()])
  const gateway = await startBalanced(
    {
      targets: [first.url, second.url],
      health: {
        path: '/healthz',
        interval_seconds: 1,
        timeout_ms: 500,
        unhealthy_after: 2,
        healthy_after: HEALTHY_AFTER,
      },
      eject: { consecutive_failures: FAILURES, seconds: 3 },
    },
    { executionTimeoutSeconds: 1 },
  )
  return { first, gateway }
}

type Pair = Awaited<ReturnType<typeof startPair>>

async function isUp({ metrics }: TestGateway): Promise<boolean> {
  const labels = { upstream: 'service', target: '1' }
  return metricValue(await metrics(), 'agentic_upstream_target_up', labels) === 1
}

/** Sends one request after the other until the first target is out; the number of visible failures. */
async function failuresUntilOut(gateway: TestGateway, options: object): Promise<number> {
  let failures = 0
  while (await isUp(gateway))
    if ((await sendRequest(`${gateway.url}/r`, options)).status !== 200) failures += 1
  return failures
}

/** Waits until the first target is back. A service that started again passes `HEALTHY_AFTER` checks until then, and no more. */
async function untilBack({ first, gateway }: Pair, isNew: boolean): Promise<void> {
  await eventually(async () => {
    const checks = isNew ? await first.checks() : 0
    const isBack = await isUp(gateway)
    if (!isBack) expect(checks).toBeLessThanOrEqual(HEALTHY_AFTER)
    return isBack
  }, Boolean)
}

/** Lets a service fail and come back under requests of one kind. */
async function failAndReturn(
  { name: fault, begin, end }: Fault,
  { name: kind, options }: Kind,
): Promise<void> {
  const { first, gateway } = await startPair()
  expect((await sendRequest(`${gateway.url}/r`, options)).status, kind).toBe(200)
  await begin(first)
  expect(await failuresUntilOut(gateway, options), kind).toBeLessThanOrEqual(FAILURES)
  // A target whose time is over is tried again: safe and keyed requests go on to the other one.
  for (let request = 0; request < AFTER_DETECTION; request += 1) {
    const { status } = await sendRequest(`${gateway.url}/r`, options)
    if (kind !== 'other') expect(status, kind).toBe(200)
  }
  const { degraded } = JSON.parse((await sendRequest(`${gateway.url}/readyz`)).body.toString())
  if (!(await isUp(gateway))) expect(degraded, kind).toEqual(['upstream service: 1 of 2 targets are out'])
  await end(first)
  await untilBack({ first, gateway }, fault === 'killed')
  expect((await sendRequest(`${gateway.url}/r`, options)).status, kind).toBe(200)
}

// The kinds wait at the same time, each with a gateway and services of its own.
it.each(faults)('one of two services is $name: safe, keyed and other requests', async (fault) => {
  await Promise.all(kinds.map((kind) => failAndReturn(fault, kind)))
})
