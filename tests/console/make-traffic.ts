/** A request with its sender. */
type Sent = readonly [person: string, method: string, path: string, body?: object]

// All kinds of traffic of the stack, for meaningful pictures.
const mix: readonly Sent[] = [
  ['alice', 'GET', '/campaigns/cmp-123'],
  ['alice', 'GET', '/campaigns/cmp-123/optimizations'],
  ['alice', 'POST', '/campaigns/cmp-123/optimizations', { goal: 'reach' }],
  ['alice', 'POST', '/campaigns/cmp-123/optimizations', {}],
  ['bob', 'POST', '/campaigns/cmp-123/optimizations', { goal: 'ctr' }],
  ['alice', 'POST', '/products/prd-123/recommendations', {}],
  ['alice', 'POST', '/products/prd-offline/recommendations', {}],
  ['alice', 'POST', '/products/prd-multi/recommendations', {}],
  ['carol', 'GET', '/campaigns/cmp-900'],
  ['carol', 'GET', '/campaigns/cmp-900/optimizations'],
  ['alice', 'POST', '/llm/completions', { prompt: 'Hello', max_tokens: 5 }],
  ['alice', 'GET', '/campaigns/unknown'],
]

const TRAFFIC_MS = 60_000
const PAUSE_MS = 130

/** Sends requests for a minute, one after another. */
export async function makeTraffic(adminUrl: string, gatewayUrl: string): Promise<void> {
  const tokens = new Map<string, string>()
  for (const sub of new Set(mix.map(([person]) => person))) tokens.set(sub, await tokenOf(adminUrl, sub))
  const end = performance.now() + TRAFFIC_MS
  for (let turn = 0; performance.now() < end; turn++) {
    // Mixed order, but the same traffic in each run.
    const [person, method, path, body] = mix[(turn * 7 + Math.floor(turn / mix.length)) % mix.length] ?? [
      '',
      'GET',
      '/',
    ]
    await fetch(`${gatewayUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.get(person)}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).then((answer) => answer.arrayBuffer())
    // Wait: requests come at a pace.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function tokenOf(adminUrl: string, sub: string): Promise<string> {
  const gateway = (await (await fetch(`${adminUrl}/api/gateway`)).json()) as { people: { sub: string }[] }
  const person = gateway.people.find((each) => each.sub === sub)
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${adminUrl}/api/token`, {
    method: 'POST',
    headers,
    body: JSON.stringify(person),
  })
  return ((await answer.json()) as { token: string }).token
}
