import {
  type AuditEmitter,
  createService,
  type DurableSettings,
  jsonLinesLog,
  type Log,
  type Operation,
  type Store,
} from '@agentic-rest/service'
import { Hono } from 'hono'
import { createCampaign } from './campaigns/create-campaign.ts'
import { forecastCampaign } from './campaigns/forecast-campaign.ts'
import { readCampaign } from './campaigns/read-campaign.ts'
import { cancelOptimizationOperation } from './optimizations/cancel-optimization.ts'
import { createOptimization } from './optimizations/create-optimization.ts'
import type { DescriptionWriter } from './optimizations/describe-by-model.ts'
import { startKeeper } from './optimizations/keeper.ts'
import { listOptimizationsOperation } from './optimizations/list-optimizations.ts'
import type { OptimizerParts } from './optimizations/optimizer-parts.ts'
import { readOptimization } from './optimizations/read-optimization.ts'

/** What the app is made of. */
export interface CampaignsAppOptions {
  /** Its tables have to be there: `prepareTables` makes them. It is the caller's to close. */
  readonly store: Store
  readonly writer?: DescriptionWriter | undefined
  /** Where a partner is asked for the metrics of its campaigns. */
  readonly partnerUrl?: string | undefined
  /** How long each of the 14 steps of a run in the background takes: 200 unless set. */
  readonly stepMs?: number | undefined
  /** How long each day of a forecast takes: 20 unless set. */
  readonly forecastDayMs?: number | undefined
  /** How long closing lets runs in the background end: 10 unless set. */
  readonly closeSeconds?: number | undefined
  /** How many runs in the background there are at once: 16 unless set. */
  readonly workers?: number | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/** The app, and how to end it. */
export interface CampaignsApp {
  readonly app: Hono
  close(): Promise<void>
}

// Nobody listens there: in the demonstration the partner is down, and with it the metrics of `cmp-offline`.
const NOBODY = 'http://127.0.0.1:10'

// A run of some seconds whose process died goes on soon.
const LEASE_SECONDS = 6
// Runs pause more than they work, so many of them at once are no burden.
const WORKERS = 16

function runtimeSettings({ closeSeconds = 10, workers = WORKERS }: CampaignsAppOptions): DurableSettings {
  const retries = { backoffSeconds: 0.5, maxBackoffSeconds: 4 }
  return { operations: { ...retries, leaseSeconds: LEASE_SECONDS, workers, closeSeconds } }
}

/** Campaigns and their optimizations. */
export function createCampaignsApp(options: CampaignsAppOptions): CampaignsApp {
  const { store, audit } = options
  const log = options.log ?? jsonLinesLog((line) => void process.stderr.write(line))
  const after = createAfterwards()
  const service = createService({
    operations: operationsOf(options, after.add),
    store,
    title: 'Campaigns',
    runtime: runtimeSettings(options),
    log,
    ...(audit && { audit }),
  })
  const keeper = startKeeper(store, log)
  const app = new Hono()
  app.all('*', (context) => service.fetch(context.req.raw))
  return {
    app,
    async close() {
      await service.close()
      await Promise.all([after.settled(), keeper.close()])
    },
  }
}

function operationsOf(
  options: CampaignsAppOptions,
  afterwards: OptimizerParts['afterwards'],
): readonly Operation[] {
  const { store, writer, partnerUrl = NOBODY, stepMs = 200, forecastDayMs = 20 } = options
  return [
    createCampaign(),
    readCampaign(store),
    forecastCampaign({ store, partnerUrl, dayMs: forecastDayMs }),
    createOptimization({ afterwards, store, partnerUrl, stepMs, writer }),
    readOptimization(store),
    listOptimizationsOperation(store),
    cancelOptimizationOperation(),
  ]
}

/** What goes on after an answer. None of it rejects. */
function createAfterwards() {
  const works = new Set<Promise<void>>()
  return {
    add(work: Promise<void>): void {
      works.add(work)
      void work.then(() => works.delete(work))
    },
    settled: () => Promise.all(works),
  }
}
