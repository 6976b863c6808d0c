import { clientAt, errorOf, type Place, type Scenario, same } from './scenario.ts'

/** Missing and invalid answers. */
export const failureScenarios: readonly Scenario[] = [
  violation('html', 502, [{ rule: 'status', pointer: '', message: 'status 502 is not part of the profile' }]),
  violation('not-json', 200, [{ rule: 'json', pointer: '', message: 'the body is not JSON' }]),
  violation('wrong-type', 409, [
    {
      rule: 'media_type',
      pointer: '',
      message: 'status 409 has media type application/vnd.agentic.conflict+json, got application/json',
    },
  ]),
  violation('no-inputs', 400, [
    { rule: 'schema.minItems', pointer: '/requiredInputs', message: 'must not be empty' },
  ]),
  redirect('redirect'),
  redirect('redirect-away'),
  failure('an answer without end is cut off at the limit', 'endless', 'RESPONSE_TOO_LARGE', {
    maxResponseBytes: 100_000,
  }),
  failure('an answer that drips is cut off in time', 'drip', 'TIMEOUT', { timeoutMs: 150 }),
  failure('a server that says nothing is left in time', 'silent', 'TIMEOUT', { timeoutMs: 50 }),
  failure('a server that stops talking is left in time', 'half-silent', 'TIMEOUT', { timeoutMs: 50 }),
  failure('an answer that is cut off is a broken connection', 'cut', 'NETWORK'),
  failure('a connection that is reset is a broken connection', 'reset', 'NETWORK'),
  {
    title: 'nobody listening is a broken connection',
    async run(place) {
      const client = clientAt({ ...place, baseUrl: 'http://127.0.0.1:9' })
      const error = await errorOf(client.request({ method: 'GET', path: '/' }))
      same([error['name'], error['code']], ['TransportError', 'NETWORK'])
    },
  },
  {
    title: 'a caller that leaves gets its own reason back',
    direct: true,
    async run(place) {
      const controller = new AbortController()
      const work = clientAt(place).request({
        method: 'GET',
        path: '/broken/silent',
        correlationId: 'left',
        signal: controller.signal,
      })
      controller.abort('enough')
      const error = await errorOf(work)
      same([error['name'], error['code'], error['cause']], ['TransportError', 'ABORTED', 'enough'])
    },
  },
  {
    title: 'a caller that left before the request sends nothing',
    async run(place) {
      const refuse = () => Promise.reject(new Error('fetch was called with a live signal'))
      const client = clientAt(place, {
        fetch: (_url, { signal }) => (signal?.aborted ? Promise.reject(new Error('aborted')) : refuse()),
      })
      const error = await errorOf(
        client.request({ method: 'GET', path: '/echo/a', signal: AbortSignal.abort() }),
      )
      same(error['code'], 'ABORTED')
    },
  },
  {
    title: 'a token that never comes is left in time',
    async run(place) {
      const client = clientAt(place, { token: () => new Promise(() => undefined), timeoutMs: 30 })
      same((await errorOf(client.request({ method: 'GET', path: '/echo/a' })))['code'], 'TIMEOUT')
    },
  },
  {
    title: 'a request that cannot be sent is a TypeError',
    async run(place) {
      const client = clientAt(place)
      const wrong = [
        { method: 'GET', path: '/echo/{name}' },
        { method: 'GET', path: '/echo/{name}', params: { name: '' } },
        { method: 'GET', path: '/echo/{name}', params: { name: '..' } },
        { method: 'GET', path: '/echo/{name}', params: { name: 'a', other: 'b' } },
        { method: 'GET', path: '/echo/a?b=c' },
        { method: 'GET', path: 'http://127.0.0.1:9/' },
        { method: 'GET', path: '/echo/a', body: {} },
        { method: 'POST', path: '/echo/a', body: () => undefined },
        { method: 'GE T', path: '/echo/a' },
        { method: 'GET', path: '/echo/a', headers: { 'X-A': 'b\nc' } },
      ]
      for (const request of wrong) same((await errorOf(client.request(request)))['name'], 'TypeError')
    },
  },
]

function violation(kind: string, status: number, violations: readonly object[]): Scenario {
  return {
    title: `an answer of kind ${kind} is a profile violation`,
    direct: true,
    async run(place) {
      const error = await brokenBy(place, kind)
      same([error['name'], error['code']], ['ProfileViolationError', 'PROFILE_VIOLATION'])
      same([error['status'], error['violations']], [status, violations])
    },
  }
}

function redirect(kind: string): Scenario {
  return {
    title: `a ${kind} is a profile violation and is not followed`,
    direct: true,
    async run(place) {
      const error = await brokenBy(place, kind, { token: 'secret' })
      same([error['name'], error['code']], ['ProfileViolationError', 'PROFILE_VIOLATION'])
      same(error['violations'], [{ rule: 'status', pointer: '', message: 'the answer is a redirect' }])
    },
  }
}

function failure(title: string, kind: string, code: string, options = {}): Scenario {
  return {
    title,
    direct: true,
    async run(place) {
      const error = await brokenBy(place, kind, options)
      same([error['name'], error['code']], ['TransportError', code])
    },
  }
}

function brokenBy(place: Place, kind: string, options = {}) {
  return errorOf(
    clientAt(place, options).request({ method: 'GET', path: '/broken/{kind}', params: { kind } }),
  )
}
