import type { Environment } from '../environment.ts'
import { jsonDigest } from '../json-value.ts'
import { readTool } from './read-tool.ts'
import { type CatalogueTool, type ToolFault, type ToolReading, type ToolRoute, toolNameOf } from './tool.ts'

/** A route that is a tool, with the address of its service. */
export interface TargetRoute extends ToolRoute {
  readonly target: string
}

/** The options of a catalogue. */
export interface CatalogueOptions {
  /** The routes in the order of the file. */
  readonly routes: readonly TargetRoute[]
  readonly environment: Environment
  /** How often a document that was read is read again. */
  readonly refreshSeconds: number
  /** Reads the OpenAPI document of a service, with a limit of its own for the size. Rejects if it cannot be had. */
  load(target: string, signal: AbortSignal): Promise<unknown>
  /** Called when the tools have changed. */
  onChange(): void
}

/** A route that is no tool at the moment, and the reason. */
export interface CatalogueFault {
  readonly routeId: string
  readonly fault: ToolFault
}

/** The tools of all routes whose documents could be read. */
export interface Catalogue {
  readonly tools: readonly CatalogueTool[]
  readonly faults: readonly CatalogueFault[]
  /** Resolves after the first attempt to read all documents. It never rejects. */
  readonly ready: Promise<void>
  close(): void
}

const RETRY_SECONDS = 30
// A gateway often starts before its services.
const EARLY_RETRY_SECONDS = 2
const EARLY_RETRIES = 30
const LOAD_TIMEOUT_MS = 5000

interface Document {
  readonly digest: string
  readonly value: unknown
}

/** Makes a catalogue. Missing documents are tried again; one that was read stays until a newer one is there. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { routes, environment, refreshSeconds, onChange } = options
  const closed = new AbortController()
  const documents = new Map<string, Document>()
  let current = build(routes, documents)

  async function read(target: string): Promise<boolean> {
    const value = await loadInTime(options, target, closed.signal)
    if (value === undefined || closed.signal.aborted) return false
    const digest = jsonDigest(value)
    if (documents.get(target)?.digest === digest) return true
    documents.set(target, { digest, value })
    current = build(routes, documents)
    onChange()
    return true
  }

  async function follow(target: string, first: Promise<boolean>): Promise<void> {
    let isRead = await first
    for (let attempt = 0; !closed.signal.aborted; attempt++) {
      const retrySeconds = attempt < EARLY_RETRIES ? EARLY_RETRY_SECONDS : RETRY_SECONDS
      await environment.wait((isRead ? refreshSeconds : retrySeconds) * 1000, closed.signal)
      if (!closed.signal.aborted) isRead = await read(target)
    }
  }

  const targets = new Set(routes.filter(needsDocument).map(({ target }) => target))
  const firsts = [...targets].map((target) => {
    const first = read(target)
    void follow(target, first)
    return first
  })
  return {
    get tools() {
      return current.tools
    },
    get faults() {
      return current.faults
    },
    ready: Promise.all(firsts).then(() => undefined),
    close: () => closed.abort(),
  }
}

function needsDocument({ mcp }: ToolRoute): boolean {
  return mcp.input === undefined || mcp.input === 'openapi'
}

/** The document of a service; undefined if it is missing, broken or slow. */
async function loadInTime(
  { load, environment }: CatalogueOptions,
  target: string,
  closed: AbortSignal,
): Promise<unknown> {
  const ended = new AbortController()
  const signal = AbortSignal.any([closed, ended.signal])
  const late = environment.wait(LOAD_TIMEOUT_MS, signal).then(() => undefined)
  try {
    return await Promise.race([load(target, signal), late])
  } catch {
    return undefined
  } finally {
    ended.abort()
  }
}

function build(
  routes: readonly TargetRoute[],
  documents: ReadonlyMap<string, Document>,
): Pick<Catalogue, 'tools' | 'faults'> {
  const tools: CatalogueTool[] = []
  const faults: CatalogueFault[] = []
  const names = new Set<string>()
  for (const route of routes) {
    const reading = readRoute(route, documents, names)
    names.add(toolNameOf(route))
    if (reading.ok) tools.push(reading.tool)
    else faults.push({ routeId: route.id, fault: reading.fault })
  }
  return { tools, faults }
}

function readRoute(
  route: TargetRoute,
  documents: ReadonlyMap<string, Document>,
  names: ReadonlySet<string>,
): ToolReading {
  const name = toolNameOf(route)
  if (names.has(name)) {
    return {
      ok: false,
      fault: { code: 'duplicate_name', message: `another route has the tool name "${name}"` },
    }
  }
  const document = documents.get(route.target)
  if (needsDocument(route) && document === undefined) {
    return {
      ok: false,
      fault: { code: 'no_document', message: 'the document of the service cannot be read' },
    }
  }
  return readTool(route, document?.value)
}
