import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AuditBatch,
  AuditFile,
  AuditLogError,
  createNoteSigner,
  type NoteSigner,
} from '@agentic-rest/audit-log'
import { headers as headerNames } from '@agentic-rest/profile'
import type { GatewayConfig, OtelAuditOptions } from '../config/config-schema.ts'
import { readNamedFile } from '../config/read-files.ts'
import { InitialisationError } from '../errors.ts'
import type { Log } from '../log.ts'
import { createHttpClient, type HttpClient } from '../upstream/http-client.ts'

/** The settings of an audit file, with absolute file names. */
export interface AuditFileSettings
  extends Pick<OtelAuditOptions, 'seal' | 'head_file' | 'rotate' | 'anchor'> {
  readonly file: string
}

/** The audit files of a gateway. They outlive a reload: one writer per file, whatever configurations are in use. */
export interface AuditFiles {
  /** Throws an `InitialisationError` for settings that cannot work. */
  check(settings: AuditFileSettings): void
  /**
   * Keeps other processes away from the file of a configuration, if it has one, and opens it if it is sealed. Throws an
   * `InitialisationError` when another process writes it.
   */
  claim(config: GatewayConfig): void
  /** Writes records with the settings of the newest configuration; rejects when they are lost. */
  append(settings: AuditFileSettings, batch: AuditBatch): Promise<void>
  /** Why the files are less than they should be. The texts are public. */
  degraded(): readonly string[]
  /** Writes the last checkpoints and closes the files. */
  close(): Promise<void>
}

const ANCHOR_TIMEOUT_MS = 5_000
/** How long a disk that does not answer delays the end. */
const CLOSE_LONGEST_MS = 4_000
/** A process that was just killed may hold its lock for a moment. */
const LOCK_PATIENCE_MS = 1_000
const KEY = 'plugins.otel-audit.seal.key_file'

interface OpenedFile {
  readonly file: AuditFile
  readonly seal: string
  settings: AuditFileSettings
}

/** Makes the audit files of this process. */
export function createAuditFiles({ log }: { readonly log: Log }): AuditFiles {
  const opened = new Map<string, OpenedFile>()
  const http = createHttpClient()
  const openedFor = (settings: AuditFileSettings): OpenedFile => {
    const known = opened.get(settings.file) ?? openFile(settings, { log, http })
    opened.set(settings.file, known)
    if (known.seal !== sealOf(settings)) throw new InitialisationError(SEAL_CHANGED)
    known.settings = settings
    known.file.rotate = rotateOf(settings)
    return known
  }
  return {
    check(settings) {
      signerOf(settings)
      const known = opened.get(settings.file)
      if (known !== undefined && known.seal !== sealOf(settings)) throw new InitialisationError(SEAL_CHANGED)
    },
    claim(config) {
      const settings = fileOf(config)
      if (settings === undefined) return
      try {
        const { file } = openedFor(settings)
        file.lock(LOCK_PATIENCE_MS)
        // A log that was changed is noticed now and not with the first request; each record reports a file that fails.
        if (settings.seal !== undefined) file.open().catch(() => undefined)
      } catch (error) {
        if (error instanceof AuditLogError)
          throw new InitialisationError(`plugins.otel-audit.file: ${error.message}`)
        if (error instanceof InitialisationError) throw error
        // A place that cannot be written is tried again with each record, which reports it.
      }
    },
    append: async (settings, batch) => await openedFor(settings).file.append(batch),
    degraded() {
      const files = [...opened.values()].map(({ file }) => file)
      return [
        ...(files.some((file) => file.isAnchorFailing)
          ? ['otel-audit: checkpoints do not reach the anchor']
          : []),
        ...(files.some((file) => file.isHeadFailing) ? ['otel-audit: the head file cannot be written'] : []),
        ...(files.some((file) => file.hasRefusedLog)
          ? ['otel-audit: a log was not continued; verify it and move it away']
          : []),
      ]
    },
    async close() {
      const closing = Promise.allSettled([...opened.values()].map(({ file }) => closeFile(file, log)))
      await Promise.race([closing, sleep(CLOSE_LONGEST_MS, undefined, { ref: false })])
      await http.close()
    },
  }
}

/** The file of the exporter, if the configuration uses one. */
function fileOf({ plugins }: GatewayConfig): AuditFileSettings | undefined {
  const { enabled, exporter, file, seal, head_file, rotate, anchor } = plugins['otel-audit']
  return enabled && exporter === 'file' && file !== undefined
    ? { file, seal, head_file, rotate, anchor }
    : undefined
}

const SEAL_CHANGED =
  'plugins.otel-audit.seal: the file is open with another key, name or head_file; move its files away and restart the gateway'

function openFile(
  settings: AuditFileSettings,
  { log, http }: { readonly log: Log; readonly http: HttpClient },
): OpenedFile {
  const seal = signerOf(settings)
  const file = new AuditFile({
    file: settings.file,
    seal,
    headFile: settings.head_file,
    rotate: rotateOf(settings),
    ...(seal !== undefined && { anchor: (note: string) => post(http, known.settings.anchor?.url, note) }),
    warn: (message, fields) => log.warn(message, fields),
  })
  const known: OpenedFile = { file, seal: sealOf(settings), settings }
  return known
}

async function closeFile(file: AuditFile, log: Log): Promise<void> {
  try {
    await file.close()
  } catch (error) {
    log.error('an audit file did not close', { error })
  }
}

/** Without an anchor in the newest configuration there is nothing to send. */
async function post(http: HttpClient, url: string | undefined, note: string): Promise<void> {
  if (url === undefined) return
  const headers = { [headerNames.contentType]: 'text/plain; charset=utf-8' }
  const { status } = await http.post(url, { body: note, headers, timeoutMs: ANCHOR_TIMEOUT_MS })
  if (Math.floor(status / 100) !== 2) throw new Error(`the anchor answered with ${status}`)
}

/** The signer of a sealed file; throws an `InitialisationError` without a usable key. */
export function signerOf({ seal }: Pick<AuditFileSettings, 'seal'>): NoteSigner | undefined {
  if (seal === undefined) return undefined
  const pem = readNamedFile(seal.key_file, KEY)
  try {
    return createNoteSigner(seal.name, pem)
  } catch (error) {
    throw new InitialisationError(`${KEY}: ${error instanceof Error ? error.message : 'unusable'}`)
  }
}

function sealOf({ seal, head_file }: AuditFileSettings): string {
  return JSON.stringify([seal, head_file])
}

function rotateOf({ rotate }: AuditFileSettings) {
  return { maxBytes: rotate.max_bytes, daily: rotate.daily }
}
