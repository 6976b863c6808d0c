import {
  type AuditEvent,
  createService,
  type Log,
  type Service,
  type ServiceOptions,
} from '@agentic-rest/service'
import { onTestFinished } from 'vitest'
import { startServer } from './start-server.ts'

/** A log line of a service. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A service on a free port, with its log and records. */
export interface TestService {
  readonly service: Service
  readonly url: string
  readonly log: LogLine[]
  readonly audit: AuditEvent[]
}

/** Starts a service; it ends with the test. */
export async function startService(options: ServiceOptions): Promise<TestService> {
  const audit: AuditEvent[] = []
  const { log, lines } = memoryLog()
  const emitter = { emit: (event: AuditEvent) => void audit.push(event) }
  const service = createService({ log, audit: emitter, closeSeconds: 5, ...options })
  const { url } = await startServer(service.listener)
  onTestFinished(() => service.close())
  return { service, url, log: lines, audit }
}

/** A log in memory. */
export function memoryLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at =
    (level: string) =>
    (message: string, fields: LogLine['fields'] = {}) =>
      void lines.push({ level, message, fields })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}
