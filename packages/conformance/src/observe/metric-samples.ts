/** One sample of a text exposition. */
export interface Sample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

/** Metrics as a scraper reads them. */
export interface Metrics {
  /** The declared types, by the name of the metric. */
  readonly types: ReadonlyMap<string, string>
  readonly samples: readonly Sample[]
}

/** Reads a text exposition; lines that are none are left out. */
export function readMetrics(text: string): Metrics {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\w+)\s*$/.exec(line) ?? []
    if (typed !== undefined && type !== undefined) types.set(typed, type)
    const [, name, labels = '', value] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    if (name !== undefined) samples.push({ name, labels: readLabels(labels), value: readValue(value) })
  }
  return { types, samples }
}

/** The counter of requests (Endpoints, 8). */
export const REQUESTS = 'agentic_requests_total'

/** Which requests are meant; all of them when nothing is said. */
export interface CountedRequests {
  readonly outcome?: string | undefined
  readonly tenant?: string | undefined
}

/** How many requests were counted. */
export function requestsCounted({ samples }: Metrics, { outcome, tenant }: CountedRequests = {}): number {
  return samples
    .filter(({ name }) => name === REQUESTS)
    .filter(({ labels }) => outcome === undefined || labels.get('outcome') === outcome)
    .filter(({ labels }) => tenant === undefined || isTenant(labels.get('tenant_id'), tenant))
    .reduce((sum, { value }) => sum + value, 0)
}

/** A gateway with very many tenants counts the rest together (decision 25). */
function isTenant(label: string | undefined, tenant: string): boolean {
  return label === tenant || label === 'other'
}

function readLabels(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

function readValue(text = ''): number {
  if (/^\+?Inf$/i.test(text)) return Number.POSITIVE_INFINITY
  return text === '' ? Number.NaN : Number(text)
}
