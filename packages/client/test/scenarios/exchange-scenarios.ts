import { sampleConditions, sampleOutcomes } from '../sample-outcomes.ts'
import { clientAt, errorOf, type Scenario, same } from './scenario.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

interface Echo {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One request, one answer. */
export const exchangeScenarios: readonly Scenario[] = [
  ...Object.values(sampleOutcomes).map(
    (outcome): Scenario => ({
      title: `an answer of type ${outcome.type} is that outcome`,
      async run(place) {
        const got = await clientAt(place).request({
          method: 'GET',
          path: '/outcomes/{name}',
          params: { name: outcome.type },
        })
        same(got, outcome)
        same(got.answer.profile, 'v0.3')
        same(got.answer.headers.get('x-correlation-id'), got.answer.trace.correlationId)
      },
    }),
  ),
  ...Object.values(sampleConditions).map(
    (outcome): Scenario => ({
      title: `an answer of condition ${outcome.condition} is an error with that condition`,
      async run(place) {
        const path = `/outcomes/${outcome.condition}`
        const got = await clientAt(place).request({ method: 'GET', path })
        same(got, outcome)
      },
    }),
  ),
  {
    title: 'path parameters are encoded, query lists are repeated, the body is JSON',
    async run(place) {
      const { body } = await echo(place, {
        method: 'POST',
        path: '/echo/{name}',
        params: { name: 'ä b?c#d%' },
        query: { tag: ['x&y', 'z'], limit: 3, dry: false, none: undefined },
        body: { goal: 'grüße' },
      })
      same(body.url, '/echo/%C3%A4%20b%3Fc%23d%25?tag=x%26y&tag=z&limit=3&dry=false')
      same(body.body, '{"goal":"grüße"}')
      same(body.headers['content-type'], 'application/json')
    },
  },
  {
    title: 'a request gets ids of its own, and says which',
    async run(place) {
      const first = await echo(place, { method: 'GET', path: '/echo/a' })
      const second = await echo(place, { method: 'GET', path: '/echo/a' })
      const { correlationId, requestId } = first.answer.trace
      same([uuid.test(correlationId), uuid.test(requestId)], [true, true])
      same(first.body.headers['x-correlation-id'], correlationId)
      same(first.body.headers['x-request-id'], requestId)
      same(second.answer.trace.requestId === requestId, false)
    },
  },
  {
    title: 'a correlation id that is given is kept',
    async run(place) {
      const { body, answer } = await echo(place, {
        method: 'GET',
        path: '/echo/a',
        correlationId: 'order-17',
      })
      same(body.headers['x-correlation-id'], 'order-17')
      same(answer.trace.correlationId, 'order-17')
    },
  },
  {
    title: 'tenant, token, key, approval and preference are sent as headers',
    async run(place) {
      const { body } = await echo(
        place,
        {
          method: 'POST',
          path: '/echo/a',
          idempotencyKey: 'key-1',
          approvalToken: 'approval-1',
          preferAsync: true,
          tenantId: 'globex',
        },
        async () => 'secret',
      )
      const { authorization, prefer, ...others } = body.headers
      same([authorization, prefer], ['Bearer secret', 'respond-async'])
      same(others['x-tenant-id'], 'globex')
      same([others['idempotency-key'], others['x-approval-token']], ['key-1', 'approval-1'])
    },
  },
  {
    title: 'a token function is asked once more when its token is rejected',
    async run(place) {
      const rejected: (string | undefined)[] = []
      const token = (old?: string) => {
        rejected.push(old)
        return old === undefined ? 'stale' : 'fresh'
      }
      const outcome = await clientAt(place, { token }).request({ method: 'POST', path: '/tokens/a' })
      same(outcome, { type: 'created', body: { tokens: 'accepted' } })
      same(rejected, [null, 'stale'])
    },
  },
  {
    title: 'a token function that has no other token leaves the rejection as it is',
    async run(place) {
      let asked = 0
      const token = () => {
        asked += 1
        return 'stale'
      }
      const outcome = await clientAt(place, { token }).request({ method: 'POST', path: '/tokens/a' })
      same(outcome, sampleConditions.unauthenticated)
      same(asked, 2)
    },
  },
  {
    title: 'a token that fails is the caller’s own error',
    async run(place) {
      const token = () => Promise.reject(new RangeError('no token today'))
      const error = await errorOf(clientAt(place, { token }).request({ method: 'GET', path: '/echo/a' }))
      same([error['name'], error['message']], ['RangeError', 'no token today'])
    },
  },
  {
    title: 'a version within the demanded range is accepted',
    async run(place) {
      const demanding = clientAt(place, { profile: { min: 'v0.2', max: 'v0.3' } })
      same((await demanding.request({ method: 'GET', path: '/outcomes/success' })).type, 'success')
    },
  },
  {
    title: 'a version outside the demanded range is a clear error',
    async run(place) {
      const demanding = clientAt(place, { profile: { min: 'v0.4' } })
      const error = await errorOf(demanding.request({ method: 'GET', path: '/outcomes/success' }))
      same(
        [error['name'], error['code'], error['profile'], error['message']],
        [
          'ProfileViolationError',
          'UNSUPPORTED_PROFILE_VERSION',
          'v0.3',
          'the answer has profile version v0.3, demanded is v0.4 to any',
        ],
      )
    },
  },
]

async function echo(
  place: Parameters<typeof clientAt>[0],
  request: Parameters<ReturnType<typeof clientAt>['request']>[0],
  token?: () => Promise<string>,
) {
  const outcome = await clientAt(place, { token }).request<Echo>(request)
  if (outcome.type !== 'success') throw new Error(`got ${outcome.type}: ${JSON.stringify(outcome)}`)
  return outcome
}
