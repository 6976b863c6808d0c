import { type Client, type ClientOptions, type Clock, createClient } from '../../src/index.ts'

/** The environment of a scenario. */
export interface Place {
  readonly baseUrl: string
  /** Whether a gateway is in front of the service. Answers that it would change are tested without it. */
  readonly throughGateway: boolean
}

/** One fact about the client. */
export interface Scenario {
  readonly title: string
  /** Only without a gateway. */
  readonly direct?: true
  run(place: Place): Promise<void>
}

/** The scenarios of an environment. */
export function scenariosFor(
  { throughGateway }: Pick<Place, 'throughGateway'>,
  all: readonly Scenario[],
): Scenario[] {
  return all.filter(({ direct }) => !(direct && throughGateway))
}

/** A client for a scenario, with the tenant that a gateway requires. */
export function clientAt({ baseUrl }: Place, options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl, tenantId: 'acme', ...options })
}

/** A clock that does not wait but records its waits. */
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

/** The error of failing work; fails if there is none. */
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

/** All values of an iterator. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
