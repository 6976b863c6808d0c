import { formatFaults } from '../config/faults.ts'
import type { ConfigResult } from '../config/parse-config.ts'
import type { LoadedConfig } from '../config/warnings.ts'
import { InitialisationError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { fixedKeyFaults } from './fixed-keys.ts'
import { inTurn } from './in-turn.ts'
import { settledWithin } from './settled-within.ts'
import type { Snapshot } from './snapshot.ts'

/** Where a configuration is read again from. */
export interface ConfigSource {
  /** How faults name it. */
  readonly file: string
  read(): ConfigResult
}

/** How a reload ended. After a refusal the gateway goes on as before. */
export interface ReloadResult {
  readonly at: string
  readonly result: 'applied' | 'refused'
  /** As `agentic check` prints them; the first of many, and how many more there are. */
  readonly faults: readonly string[]
}

/** Puts a configuration in the place of the one in use. */
export interface Reloading {
  readonly last: ReloadResult | undefined
  /** Never rejects. */
  run(): Promise<ReloadResult>
}

/** What a reload works on. */
export interface ReloadParts {
  readonly source: ConfigSource | undefined
  readonly current: () => Snapshot
  /** Makes what follows from a configuration; throws an `InitialisationError` and leaves nothing open. */
  readonly provision: (loaded: LoadedConfig) => Snapshot
  /** Puts it in use, at once and for every request from there on. */
  readonly use: (next: Snapshot) => void
  readonly isClosing: () => boolean
  /** Asks others who must have the same configuration: all of them use it or none. They report for all. */
  readonly agree?: ((faults: readonly string[]) => Promise<readonly string[]>) | undefined
  readonly metrics: Metrics
  readonly log: Log
}

/** How long a new configuration may wait for the keys of its issuers before it is used without them. */
export const WARM_MS = 5_000
const MAX_FAULTS = 20

/** Makes the reloading of one gateway: read, check, provision, warm, and only then swap. */
export function createReloading(parts: ReloadParts): Reloading {
  let last: ReloadResult | undefined
  const run = inTurn(async () => {
    const faults = await attempt(parts)
    last = conclude(parts, faults)
    return last
  })
  return {
    run,
    get last() {
      return last
    },
  }
}

/** What stands against it; nothing when the new configuration is in use. */
async function attempt(parts: ReloadParts): Promise<readonly string[]> {
  const next = await prepare(parts)
  const own = Array.isArray(next) ? next : []
  const faults = parts.agree === undefined ? own : await parts.agree(own)
  if (Array.isArray(next)) return faults
  if (faults.length === 0 && !parts.isClosing()) return useNow(next, parts)
  await next.close()
  return faults.length > 0 ? faults : ['the gateway is going down']
}

/** A snapshot that only has to be used, or what stands against it. */
async function prepare(parts: ReloadParts): Promise<Snapshot | string[]> {
  try {
    const next = provide(parts)
    // No request meets keys that are not there yet, unless their issuer does not answer.
    if (!Array.isArray(next)) await settledWithin(WARM_MS, next.warm())
    return next
  } catch (error) {
    return failed(parts, error)
  }
}

function useNow(next: Snapshot, parts: ReloadParts): string[] {
  try {
    parts.use(next)
    return []
  } catch (error) {
    return failed(parts, error)
  }
}

function failed({ source, log }: ReloadParts, error: unknown): string[] {
  log.error('a reload failed', { error })
  return [`${source?.file}: the configuration failed to load`]
}

function provide({ source, current, provision }: ReloadParts): Snapshot | string[] {
  if (source === undefined) return ['there is no file to read again']
  const loaded = source.read()
  if (!loaded.ok) return formatFaults(loaded.faults).split('\n')
  const fixed = fixedKeyFaults(current().config, loaded, source.file)
  if (fixed.length > 0) return formatFaults(fixed).split('\n')
  try {
    return provision(loaded)
  } catch (error) {
    if (error instanceof InitialisationError) return [`${source.file}: ${error.message}`]
    throw error
  }
}

function conclude(parts: ReloadParts, faults: readonly string[]): ReloadResult {
  const result = resultOf(faults)
  if (parts.agree === undefined) report(result, { ...parts, routes: parts.current().config.routes.length })
  return result
}

/** How a reload ended that these faults stood against. */
export function resultOf(faults: readonly string[]): ReloadResult {
  const shown = faults.length > MAX_FAULTS ? [...faults.slice(0, MAX_FAULTS), surplus(faults)] : faults
  return { at: new Date().toISOString(), result: faults.length === 0 ? 'applied' : 'refused', faults: shown }
}

/** Counts a reload and logs what came of it. */
export function report({ result, faults }: ReloadResult, { source, routes, metrics, log }: Reported): void {
  metrics.configReloaded(result)
  if (result === 'applied') log.info('the configuration was reloaded', { file: source?.file, routes })
  else log.error('the reload was refused: the gateway goes on as before', { faults })
}

/** Where a reload is reported, and what of. */
export interface Reported extends Pick<ReloadParts, 'source' | 'log'> {
  readonly routes: number
  readonly metrics: Pick<Metrics, 'configReloaded'>
}

function surplus(faults: readonly string[]): string {
  return `and ${faults.length - MAX_FAULTS} more faults`
}
