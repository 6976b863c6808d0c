import { headers } from '@agentic-rest/profile'
import { requestText } from '../caller.ts'
import { type Fault, faults } from '../faults.ts'
import type { Seeded } from '../seeded.ts'
import type { FaultyWorld, TokenKind } from './faulty-world.ts'

/** A request with its fault. */
export interface PlannedRequest {
  readonly id: string
  readonly kind: 'items' | 'questions' | 'events'
  readonly method: 'GET' | 'POST'
  readonly keyed: boolean
  readonly fault: Fault | undefined
  readonly token: TokenKind
  readonly tenant: string
  readonly body: string
}

/** A little more than a tenth: some requests fail earlier for another reason. */
const FAULT_SHARE = 0.105
/** Of a hundred requests, two are streams and eighteen get a clarification. */
const KINDS: readonly PlannedRequest['kind'][] = [
  ...Array<'items'>(40).fill('items'),
  ...Array<'questions'>(9).fill('questions'),
  'events',
]

/** A plain request, the base of all others. */
export const ordinaryRequest: PlannedRequest = {
  id: 'ordinary',
  kind: 'items',
  method: 'GET',
  keyed: false,
  fault: undefined,
  token: 'service',
  tenant: 'acme',
  body: '{"goal":"ctr"}',
}

/** The request with this number. */
export function planRequest(seeded: Seeded, index: number): PlannedRequest {
  const method = seeded.chance(0.5) ? 'GET' : 'POST'
  return {
    ...ordinaryRequest,
    id: `r-${index}`,
    kind: seeded.pick(KINDS),
    method,
    keyed: method === 'POST' && seeded.chance(0.3),
    fault: seeded.chance(FAULT_SHARE) ? seeded.pick(faults) : undefined,
    token: seeded.chance(0.002) ? 'unknownKey' : seeded.chance(0.2) ? 'person' : 'service',
  }
}

/** The bytes of a planned request. */
export function plannedText(
  { id, kind, method, keyed, fault, token, tenant, body }: PlannedRequest,
  world: Pick<FaultyWorld, 'token' | 'pathTo'>,
): string {
  return requestText({
    method,
    path: world.pathTo(kind, fault),
    headers: {
      [headers.authorization]: `Bearer ${world.token(token, Number(id.slice(2)))}`,
      [headers.tenantId]: tenant,
      [headers.requestId]: id,
      [headers.correlationId]: `c-${id}`,
      ...(keyed && { [headers.idempotencyKey]: id }),
      ...(kind === 'events' && { Accept: 'text/event-stream' }),
    },
    ...(method === 'POST' && { body }),
  })
}
