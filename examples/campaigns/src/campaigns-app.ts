import {
  type AuditEmitter,
  createService,
  type DurableSettings,
  jsonLinesLog,
  type Log,
  type Operation,
  type Store,
  type TrustOptions,
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

/** The options of the app. */
export interface CampaignsAppOptions {
  /** A store with its tables, created by `prepareTables`. The caller closes it. */
  readonly store: Store
  readonly writer?: DescriptionWriter | undefined
  /** The address of the partner that has the metrics of some campaigns. */
  readonly partnerUrl?: string | undefined
  /** The duration of each of the 14 steps of a background run; 200 by default. */
  readonly stepMs?: number | undefined
  /** The duration of each day of a forecast; 20 by default. */
  readonly forecastDayMs?: number | undefined
  /** The time limit of `close` for background runs; 10 by default. */
  readonly closeSeconds?: number | undefined
  /** The number of concurrent background runs; 16 by default. */
  readonly workers?: number | undefined
  /** The gateway whose signed identities are believed; without it plain headers are. */
  readonly trust?: TrustOptions | undefined
  readonly audit?: AuditEmitter | undefined
  readonly log?: Log | undefined
}

/** The app, its metrics and its `close`. */
export interface CampaignsApp {
  readonly app: Hono
  metrics(): Promise<string>
  close(): Promise<void>
}

// Nothing listens there: in the demonstration the partner is down, so `cmp-offline` has no metrics.
const NOBODY = 'http://127.0.0.1:10'

// A run takes only seconds, so another process may take it over soon.
const LEASE_SECONDS = 6
// Runs mostly pause, so many of them cost little.
const WORKERS = 16

function runtimeSettings({ closeSeconds = 10, workers = WORKERS }: CampaignsAppOptions): DurableSettings {
  const retries = { backoffSeconds: 0.5, maxBackoffSeconds: 4 }
  return { operations: { ...retries, leaseSeconds: LEASE_SECONDS, workers, closeSeconds } }
}

/** Campaigns and their optimizations. */
export function createCampaignsApp(options: CampaignsAppOptions): CampaignsApp {
  const { store, trust, audit } = options
  const log = options.log ?? jsonLinesLog((line) => void process.stderr.write(line))
  const after = createAfterwards()
  const service = createService({
    operations: operationsOf(options, after.add),
    store,
    title: 'Campaigns',
    runtime: runtimeSettings(options),
    log,
    ...(trust && { trust }),
    ...(audit && { audit }),
  })
  const keeper = startKeeper(store, log)
  const app = new Hono()
  app.all('*', (context) => service.fetch(context.req.raw))
  return {
    app,
    metrics: () => service.metrics(),
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

/** Work that continues after an answer. It never rejects. */
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
