import { isDeepStrictEqual } from 'node:util'
import type { GatewayConfig } from '../config/config-schema.ts'
import { type ConfigFault, formatFaults, formatPath, type Path } from '../config/faults.ts'
import type { ConfigResult } from '../config/parse-config.ts'
import { InitialisationError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { loadPlugins } from '../plugins/custom/load-plugins.ts'
import type { Snapshot, SnapshotSource } from './snapshot.ts'
import { inTurn, settledWithin } from './turns.ts'

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

/** Prepares a configuration and puts it in use: in this process, or in all workers of a supervisor. */
export interface ConfigSwap {
  /** Prepares a configuration without using it; resolves with its faults. */
  prepare(loaded: ValidConfig): Promise<readonly string[]>
  /** Uses the prepared configuration; resolves with the faults that prevented it. */
  apply(): Promise<readonly string[]>
  /** Drops the prepared configuration, if there is one. */
  discard(faults: readonly string[]): Promise<void>
}

/** A valid configuration with its text. */
export type ValidConfig = Extract<ConfigResult, { readonly ok: true }>

/** Replaces the configuration in use. */
export interface Reloading {
  /** The result of the last reload; in a worker its supervisor sets it. */
  last: ReloadResult | undefined
  /** Never rejects. */
  run(): Promise<ReloadResult>
}

/** The parts of a reload. */
export interface ReloadParts {
  readonly source: ConfigSource | undefined
  readonly current: () => Pick<Snapshot, 'config'>
  readonly swap: ConfigSwap
  readonly metrics: Pick<Metrics, 'configReloaded'>
  readonly log: Log
}

/** How long a new configuration may wait for the keys of its issuers before it is used without them. */
export const WARM_MS = 5_000
const MAX_FAULTS = 20

/** Makes the reloading of a gateway: read, check, prepare, and only then swap. */
export function createReloading({ source, current, swap, metrics, log }: ReloadParts): Reloading {
  const reload = async () => {
    const loaded = check(source, current().config)
    const faults = Array.isArray(loaded) ? loaded : await swap.prepare(loaded)
    if (faults.length === 0) return await swap.apply()
    await swap.discard(faults)
    return faults
  }
  const run = inTurn(async () => {
    const last = resultOf(await orFault(reload, { source, log }))
    reloading.last = last
    metrics.configReloaded(last.result)
    const { file } = source ?? {}
    const routes = current().config.routes.length
    if (last.result === 'applied') log.info('the configuration was reloaded', { file, routes })
    else log.error('the reload was refused: the gateway goes on as before', { faults: last.faults })
    return last
  })
  const reloading: Reloading = { last: undefined, run }
  return reloading
}

/** The configuration of the source, or its faults. */
function check(source: ConfigSource | undefined, running: GatewayConfig): ValidConfig | string[] {
  if (source === undefined) return ['there is no file to read again']
  const loaded = source.read()
  const faults = loaded.ok ? fixedKeyFaults(running, loaded, source.file) : loaded.faults
  return loaded.ok && faults.length === 0 ? loaded : formatFaults(faults).split('\n')
}

/** The parts of a swap in this process. */
export interface SnapshotSwapParts extends Pick<ReloadParts, 'source' | 'log'> {
  /** Makes the snapshot of a configuration; throws an `InitialisationError` and leaves nothing open. */
  readonly provision: (loaded: SnapshotSource) => Snapshot
  /** Puts a snapshot in use, for every request from now on. */
  readonly use: (next: Snapshot) => void
  readonly isClosing: () => boolean
}

/** Makes the swap of the snapshot of this process. None of its promises rejects. */
export function createSnapshotSwap(parts: SnapshotSwapParts): ConfigSwap {
  const { source, provision, use, isClosing } = parts
  let prepared: Snapshot | undefined
  const takePrepared = () => {
    const next = prepared
    prepared = undefined
    return next
  }
  const prepare = async (config: ValidConfig) => {
    const loaded = await loadPlugins(config)
    if (!loaded.ok) return formatFaults(loaded.faults).split('\n')
    try {
      const next = provision(loaded)
      // No request meets missing keys, unless their issuer does not answer.
      await settledWithin(WARM_MS, next.warm())
      prepared = next
      return []
    } catch (error) {
      if (error instanceof InitialisationError)
        return [error.located ? error.message : `${source?.file}: ${error.message}`]
      throw error
    }
  }
  const apply = async () => {
    const next = takePrepared()
    if (next === undefined) return []
    if (isClosing()) {
      await next.close()
      return ['the gateway is going down']
    }
    use(next)
    return []
  }
  return {
    prepare: (loaded) => orFault(() => prepare(loaded), parts),
    apply: () => orFault(apply, parts),
    discard: async () => await takePrepared()?.close(),
  }
}

async function orFault(
  work: () => Promise<readonly string[]>,
  { source, log }: Pick<ReloadParts, 'source' | 'log'>,
): Promise<readonly string[]> {
  try {
    return await work()
  } catch (error) {
    log.error('a reload failed', { error })
    return [`${source?.file}: the configuration failed to load`]
  }
}

/** The result of a reload with these faults. */
export function resultOf(faults: readonly string[]): ReloadResult {
  const surplus = `and ${faults.length - MAX_FAULTS} more faults`
  const shown = faults.length > MAX_FAULTS ? [...faults.slice(0, MAX_FAULTS), surplus] : faults
  return { at: new Date().toISOString(), result: faults.length === 0 ? 'applied' : 'refused', faults: shown }
}

/** A key that a running gateway cannot change, because its listener is bound. */
interface FixedKey {
  readonly path: Path
  readonly read: (gateway: GatewayConfig['gateway']) => unknown
  readonly message: string
}

const RESTART = 'cannot change without a restart'

/** All fixed keys; `docs/operations.md` lists them. */
const fixedKeys: readonly FixedKey[] = [
  { path: ['gateway', 'host'], read: ({ host }) => host, message: RESTART },
  { path: ['gateway', 'port'], read: ({ port }) => port, message: RESTART },
  { path: ['gateway', 'shared'], read: ({ shared }) => shared, message: RESTART },
  {
    path: ['gateway', 'idempotency', 'store'],
    read: ({ idempotency }) => idempotency.store,
    message: RESTART,
  },
  { path: ['gateway', 'workers'], read: ({ workers }) => workers, message: RESTART },
  { path: ['gateway', 'admin'], read: ({ admin }) => admin, message: RESTART },
  {
    path: ['gateway', 'tls'],
    read: ({ tls }) => tls === undefined,
    message: 'cannot be added or removed without a restart',
  },
  {
    path: ['gateway', 'tls', 'client_ca_file'],
    read: ({ tls }) => tls?.client_ca_file === undefined,
    message: 'cannot be added or removed without a restart',
  },
  {
    path: ['gateway', 'tls', 'client_certificate'],
    read: ({ tls }) => tls?.client_certificate ?? 'request',
    message: RESTART,
  },
  { path: ['gateway', 'tls', 'http2'], read: ({ tls }) => tls?.http2 ?? true, message: RESTART },
  {
    path: ['gateway', 'limits', 'max_header_bytes'],
    read: ({ limits }) => limits.max_header_bytes,
    message: RESTART,
  },
]

/** A change of a fixed key is a fault: a file is applied completely or not at all. */
function fixedKeyFaults(running: GatewayConfig, loaded: ValidConfig, file: string): ConfigFault[] {
  return fixedKeys
    .filter(({ read }) => !isDeepStrictEqual(read(running.gateway), read(loaded.config.gateway)))
    .map(({ path, message }) => ({
      file,
      ...loaded.positionOf(path),
      path: formatPath(path),
      message,
      kind: 'initialisation',
    }))
}
