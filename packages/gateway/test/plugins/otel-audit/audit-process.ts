import { createLog } from '../../../src/log.ts'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { ownTime } from '../../harness/own-time.ts'
import { makeBody, makeContext } from '../make-exchange.ts'
import { auditedExchange, auditOptions, countedMetrics, driveMany } from './drive.ts'

/** The order to an audit process. */
export interface AuditTask {
  readonly exporter: 'stdout' | 'otlp'
  readonly otlpEndpoint: string
  readonly requests: number
  /** The size of the body in every record; 0 for none. */
  readonly bodyBytes: number
}

/** The report of the process, after the last request and after closing. */
export interface AuditReport {
  readonly ok: number
  readonly error: number
  /** No request had to wait. */
  readonly atOnce: boolean
  /** The growth of the heap since the start, without garbage. */
  readonly heldMiB: number
  readonly rssGrowthMiB: number
  /** The largest buffer of the stdout stream. */
  readonly stdoutBufferBytes: number
  readonly closeSeconds: number
  /** The same without the time in which the process did not run. */
  readonly closeOwnSeconds: number
}

const MEBIBYTE = 1_048_576

/** Audits to the real stdout of this process, on the orders of the parent. */
async function auditForParent(task: AuditTask): Promise<void> {
  const metrics = countedMetrics()
  const log = createLog({ level: 'info', pretty: false, write: (line) => process.stderr.write(line) })
  const context = makeContext({ metrics, log, stdout: process.stdout })
  const { exporter, otlpEndpoint: otlp_endpoint, bodyBytes } = task
  const plugin = otelAudit(
    auditOptions({ exporter, otlp_endpoint, include_request_body: bodyBytes > 0 }),
    context,
  )
  const state = { atOnce: true, stdoutBufferBytes: 0 }
  const body = Buffer.alloc(bodyBytes, 'b')
  const make: typeof auditedExchange = (overrides) => {
    state.stdoutBufferBytes = Math.max(state.stdoutBufferBytes, process.stdout.writableLength)
    return auditedExchange({ ...overrides, body: makeBody(body) })
  }
  const report = (growth: ReturnType<typeof memory>, closing = { closeSeconds: 0, closeOwnSeconds: 0 }) =>
    process.send?.({ ...state, ok: metrics.ok(), error: metrics.error(), ...growth, ...closing })

  process.send?.('ready')
  await message('start')
  const before = memory()
  state.atOnce = await driveMany(plugin, task.requests, make)
  const after = memory()
  const growth = {
    heldMiB: after.heldMiB - before.heldMiB,
    rssGrowthMiB: after.rssGrowthMiB - before.rssGrowthMiB,
  }
  report(growth)
  await message('close')
  const startedAt = performance.now()
  const ownMs = await ownTime(async () => plugin.close?.())
  report(growth, { closeSeconds: (performance.now() - startedAt) / 1000, closeOwnSeconds: ownMs / 1000 })
  await context.close()
  process.disconnect()
}

function memory(): Pick<AuditReport, 'heldMiB' | 'rssGrowthMiB'> {
  const rssGrowthMiB = process.memoryUsage.rss() / MEBIBYTE
  // The second collection waits until the memory of buffers that the first one found is free.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return { heldMiB: (heapUsed + external) / MEBIBYTE, rssGrowthMiB }
}

function message(expected: string): Promise<void> {
  return new Promise((resolve) => {
    const listener = (received: unknown) => {
      if (received !== expected) return
      process.off('message', listener)
      resolve()
    }
    process.on('message', listener)
  })
}

const task = process.argv[2]
if (task !== undefined && process.send !== undefined) await auditForParent(JSON.parse(task))
