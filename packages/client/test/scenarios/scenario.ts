import { type Client, type ClientOptions, type Clock, createClient } from '../../src/index.ts'

/** Where a scenario takes place. */
export interface Place {
  readonly baseUrl: string
  /** Whether a gateway stands before the service; what it would repair or refuse is only tried without it. */
  readonly throughGateway: boolean
}

/** One fact about the client. */
export interface Scenario {
  readonly title: string
  /** Only without a gateway. */
  readonly direct?: true
  run(place: Place): Promise<void>
}

/** The facts that can be tried at a place. */
export function scenariosFor(
  { throughGateway }: Pick<Place, 'throughGateway'>,
  all: readonly Scenario[],
): Scenario[] {
  return all.filter(({ direct }) => !(direct && throughGateway))
}

/** A client for a scenario, with a tenant, because a gateway wants one. */
export function clientAt({ baseUrl }: Place, options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl, tenantId: 'acme', ...options })
}

/** A clock that does not wait but says for how long it would have. */
export function impatientClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1),
    random: () => 1,
    sleep: async (milliseconds) => void waits.push(milliseconds),
  }
}

/** Fails unless both are the same as JSON. */
export function same(actual: unknown, expected: unknown): void {
  const [is, wanted] = [canonical(actual), canonical(expected)]
  if (is !== wanted) throw new Error(`expected ${wanted}\n     got ${is}`)
}

function canonical(value: unknown): string {
  const sorted = (_key: string, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part
  return JSON.stringify(value, sorted) ?? 'undefined'
}

/** The error that work ends with; fails when it does not. */
export async function errorOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    const value = await work
    throw new NoError(`there was no error but ${JSON.stringify(value)}`)
  } catch (error) {
    if (error instanceof NoError) throw error
    return error as Record<string, unknown>
  }
}

class NoError extends Error {}

/** Everything that an iterator gives until it ends. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
