import { writeFileSync } from 'node:fs'
import { formatFaults, loadConfig, parseConfig, type RouteConfig } from '@agentic-rest/gateway'
import { printableText, templateShape } from '@agentic-rest/profile'
import { exitCodes, type Host } from '../host.ts'
import { InitError } from '../init/init-error.ts'
import { type OpenApi, readOpenApi } from '../init/openapi.ts'
import { idFor } from '../init/plan-operations.ts'
import { terminalLine } from '../terminal-text.ts'
import { addRoutes, type NewRoute, type RemarkedRoute, targetTexts, unifiedDiff } from './add-routes.ts'
import {
  describeService,
  fetchDocument,
  type ServiceDocument,
  type ServiceOperation,
} from './service-document.ts'

/** The arguments of `agentic routes add`. */
export interface Addition {
  readonly file: string
  /** An OpenAPI document: a file, its address, or the address of a service that serves it. */
  readonly from: string
  readonly target: string | undefined
  readonly dryRun: boolean
  readonly json: boolean
}

/** `agentic routes add FILE`: adds the routes of a document that the file lacks; resolves with the exit code. */
export async function addToFile(addition: Addition, host: Host): Promise<number> {
  const { file, dryRun, json } = addition
  const loaded = loadConfig(file, host.env)
  if (!loaded.ok) {
    const hints = loaded.faults.some(({ path }) => path === 'routes') ? [NO_LIST] : []
    return fail(host, [formatFaults(loaded.faults), ...hints].join('\n'), exitCodes.invalid)
  }
  const source = await readSource(addition, host)
  if ('fault' in source) return fail(host, `agentic routes add: ${source.fault}`, source.code)
  const { service, target } = source
  const plan = planRoutes(service, { target, existing: loaded.config.routes, text: loaded.text })
  const notes = [...service.notes, ...plan.notes]
  if (!json) for (const note of notes) host.stderr.write(`note: ${terminalLine(note)}\n`)
  const text = plan.added.length === 0 ? loaded.text : addRoutes(loaded.text, plan.added)
  const checked = parseConfig(text, { file, env: host.env })
  if (!checked.ok)
    return fail(
      host,
      `the routes cannot be added, the result would not be valid:\n${formatFaults(checked.faults)}`,
      exitCodes.invalid,
    )
  if (!dryRun && plan.added.length > 0 && !write(file, text))
    return fail(host, `${file} cannot be written`, exitCodes.failed)
  const routes = plan.added.map(({ route }) => route)
  if (json) {
    const written = !dryRun && routes.length > 0
    host.stdout.write(`${JSON.stringify({ file, target, added: routes, written, notes }, null, 2)}\n`)
  } else tell(addition, { before: loaded.text, after: text, routes }, host)
  return exitCodes.ok
}

const NO_LIST =
  'agentic routes add: the file needs a list that routes can be added to; add the line: routes: []'

interface Change {
  readonly before: string
  readonly after: string
  readonly routes: readonly NewRoute[]
}

function tell({ file, from, dryRun }: Addition, { before, after, routes }: Change, host: Host): void {
  if (routes.length === 0) {
    host.stdout.write(`${terminalLine(`${file} has all routes of ${from}: nothing to add`)}\n`)
    return
  }
  host.stdout.write(printableText(unifiedDiff(file, before, after)))
  const count = `${routes.length} route${routes.length === 1 ? '' : 's'}`
  const state = dryRun ? `would be added; ${file} is unchanged` : `added to ${file}`
  host.stderr.write(`${terminalLine(`${count} ${state}`)}\n`)
}

function fail({ stderr }: Host, text: string, code: number): number {
  stderr.write(`${printableText(text)}\n`)
  return code
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text)
    return true
  } catch {
    return false
  }
}

type Source =
  | { readonly service: ServiceDocument; readonly target: string }
  | { readonly fault: string; readonly code: number }

async function readSource({ from, target: wanted }: Addition, { stderr }: Host): Promise<Source> {
  const onSlow = () => void stderr.write(`${terminalLine(`${from} does not answer yet: waiting for it`)}\n`)
  const address = addressOf(from)
  const read = address === undefined ? readFile(from) : await fetchFrom(address, onSlow)
  if ('fault' in read) return read
  const service = describeService(read.api)
  if (service.operations.length === 0)
    return { fault: `${from}: the document has no operation that a route can have`, code: exitCodes.invalid }
  const target = wanted ?? (address === undefined ? service.server : targetOf(address, service))
  if (target !== undefined) return { service, target: target.replace(/\/+$/, '') }
  return { fault: `--target is missing: ${from} names no server`, code: exitCodes.invalid }
}

type ReadApi = { readonly api: OpenApi } | { readonly fault: string; readonly code: number }

function readFile(file: string): ReadApi {
  try {
    return { api: readOpenApi(file) }
  } catch (error) {
    if (!(error instanceof InitError)) throw error
    return { fault: error.message, code: exitCodes.invalid }
  }
}

const DOCUMENT = '/openapi.json'

/** The address of a document: of a service, it is /openapi.json. */
function addressOf(from: string): URL | undefined {
  if (!/^https?:\/\//i.test(from) || !URL.canParse(from)) return undefined
  const url = new URL(from)
  if (!/\.(?:json|ya?ml)$/i.test(url.pathname))
    url.pathname = `${url.pathname.replace(/\/+$/, '')}${DOCUMENT}`
  return url
}

async function fetchFrom(url: URL, onSlow: () => void): Promise<ReadApi> {
  const fetched = await fetchDocument(url, { onSlow })
  if (fetched.type === 'document') return fetched
  const code = fetched.type === 'silent' ? exitCodes.failed : exitCodes.invalid
  return { fault: `${url.href}: ${fetched.reason}`, code }
}

/** The folder of the document without the public path: the gateway sends the whole path of a request. */
function targetOf({ origin, pathname }: URL, { server, publicPath }: ServiceDocument): string {
  if (server !== undefined) return server
  const folder = pathname.slice(0, pathname.lastIndexOf('/'))
  return `${origin}${folder.endsWith(publicPath) ? folder.slice(0, folder.length - publicPath.length) : folder}`
}

interface Existing {
  readonly target: string
  readonly existing: readonly RouteConfig[]
  readonly text: string
}

// As in the template of `agentic init`.
const DEADLINE_SECONDS = 30
const OWN_DEADLINE_SECONDS = 10

const OTHER_TARGET =
  'these operations of the new service have no route: mount it with a publicPath, see "Two services behind one gateway" in docs/troubleshooting.md'

function planRoutes(service: ServiceDocument, { target, existing, text }: Existing) {
  const taken = new Set(existing.map(({ id }) => id))
  const known = new Map(existing.map((route) => [keyOf(route), route]))
  const missing = service.operations.filter((operation) => !known.has(keyOf(operation)))
  const same = existing.findIndex((route) => route.target?.replace(/\/+$/, '') === target)
  // The text of the file may have variables; the new routes get the same ones.
  const targetText = targetTexts(text)[same] ?? target
  const added = missing.map((operation): RemarkedRoute => {
    const { method, path, streams, serves, summary } = operation
    const route: NewRoute = {
      id: idFor(operation.id, taken),
      method,
      path,
      target: targetText,
      executionTimeoutSeconds: serves === undefined ? DEADLINE_SECONDS : OWN_DEADLINE_SECONDS,
      ...(streams && { mode: 'sse' }),
      ...(service.followsProfile && { conformance: 'enforce' }),
      forwardAuthorization: false,
    }
    return { route, remark: summary }
  })
  const notes = service.operations.flatMap((operation) => {
    const route = known.get(keyOf(operation))
    // Variables of a given target are filled in only when the file is read.
    if (route === undefined || target.includes('${') || route.target?.replace(/\/+$/, '') === target)
      return []
    const place = route.target === undefined ? `upstream ${route.upstream}` : `target ${route.target}`
    return [`${operation.method} ${operation.path} has the ${place}: it stays`]
  })
  if (notes.length > 0) notes.push(OTHER_TARGET)
  return { added, notes }
}

/** Two routes may not differ in the names of their parameters alone. */
function keyOf({ method, path }: Pick<ServiceOperation, 'path'> & { readonly method: string }): string {
  return `${method} ${templateShape(path)}`
}
