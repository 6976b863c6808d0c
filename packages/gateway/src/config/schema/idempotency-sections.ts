import { integer, oneOf, section } from './field-kinds.ts'

/** `gateway.idempotency`: where the keys of all routes are kept. */
export const idempotencySection = section({
  store: oneOf(['memory', 'shared'])
    .default('memory')
    .describe(
      'Where keys and stored answers are kept: `memory` is lost with the process, `shared` is the Redis of gateway.shared, for all gateways.',
    ),
})

/** `routes[].idempotency`. */
export const routeIdempotencySection = section({
  mode: oneOf(['off', 'optional', 'required']).describe(
    '`optional` treats requests with an Idempotency-Key, `required` refuses those without one, `off` leaves keys to the service.',
  ),
  ttlSeconds: integer(1, 2_592_000).default(86_400).describe('How long a key and its answer are kept.'),
  maxStoredBytes: integer(1, 16_777_216)
    .default(262_144)
    .describe('Largest body of an answer that is stored; a retry after a larger one is refused.'),
  onUnknown: oneOf(['refuse', 'resend'])
    .default('refuse')
    .describe(
      'A retry after a request that left and got no answer: `refuse` it, or `resend` it to a service that honours keys itself.',
    ),
})
