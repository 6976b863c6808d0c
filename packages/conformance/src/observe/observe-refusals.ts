import { randomUUID } from 'node:crypto'
import { headers } from '@agentic-rest/profile'
import type { Probe } from '../scenario/scenario-schema.ts'
import { NO_TOKEN } from '../scenario/scenario-schema.ts'
import type { Bearer, Exchange } from '../wire/exchange.ts'
import { ECHOED, FORGED, notInScenario, type ObservationName, type Seen } from './observation.ts'
import type { Run, Sending } from './run.ts'
import { attempt, sendProbe } from './take-steps.ts'

/**
 * Sends a valid request without a token, with invalid tokens, for a tenant that the token does not allow and with forged
 * identity headers, and requests to faulty upstreams.
 */
export async function observeRefusals(run: Run): Promise<Seen[]> {
  return [...(await observeAccess(run)), ...(await observeUpstreams(run)), await observeEcho(run)]
}

const NOT_A_TOKEN = 'not-a-token'
// The length of an ES256 signature. Some libraries accepted a signature of zeros (CVE-2022-21449).
const SIGNATURE = 'A'.repeat(86)

function accessSendings({ scenario: { foreignTenant } }: Run) {
  return [
    ['token.missing', { token: NO_TOKEN }],
    ['token.missing-without-ids', { token: NO_TOKEN, trace: {} }],
    ['token.invalid', { falsify: () => ({ text: NOT_A_TOKEN, shown: NOT_A_TOKEN }) }],
    ['token.forged', { falsify: forge }],
    ['tenant.foreign', foreignTenant === undefined ? undefined : { tenant: foreignTenant }],
  ] as const satisfies readonly (readonly [ObservationName, Sending | undefined])[]
}

/** The same claims with an invalid signature. */
function forge({ text, shown }: Bearer): Bearer {
  const [, claims = text] = /^(.*)\.[^.]*$/s.exec(text) ?? []
  return { text: `${claims}.${SIGNATURE}`, shown: `\${${shown.slice(1)}%.*}.${SIGNATURE}` }
}

async function observeAccess(run: Run): Promise<Seen[]> {
  const { success, created } = run.scenario.outcomes ?? {}
  const sendings = accessSendings(run).filter(([name]) => run.wanted.has(name))
  const missing = (reason: string) => sendings.map(([name]): Seen => ({ name, missing: reason }))
  const probe = success ?? created
  if (probe === undefined) return missing('the scenario has no outcomes.success and no outcomes.created')
  if ((probe.request.token ?? run.scenario.token ?? NO_TOKEN) === NO_TOKEN)
    return missing('the scenario uses no token')
  const [first] = sendings
  if (first === undefined) return []
  const right = await attempt(run, first[0], async () => ({ exchanges: [await sendProbe(run, probe)] }))
  if ('missing' in right) return missing(right.missing)
  const [contrast] = right.exchanges
  const seen: Seen[] = []
  for (const [name, sending] of sendings)
    seen.push(
      sending === undefined
        ? notInScenario(name, 'foreignTenant')
        : await attempt(run, name, () => sendBeside(run, probe, { sending, contrast })),
    )
  return seen
}

interface Beside {
  readonly sending: Sending
  readonly contrast: Exchange | undefined
}

async function sendBeside(run: Run, probe: Probe, { sending, contrast }: Beside) {
  return { exchanges: [await sendProbe(run, probe, sending)], ...(contrast && { contrast }) }
}

const upstreams = [
  ['traceless-upstream', 'tracelessUpstream'],
  ['mismatched-upstream', 'mismatchedUpstream'],
  ['unreachable-upstream', 'unreachableUpstream'],
] as const

async function observeUpstreams(run: Run): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const [name, key] of upstreams) {
    const probe = run.scenario[key]
    seen.push(
      probe === undefined
        ? notInScenario(name, key)
        : await attempt(run, name, async () => ({ exchanges: [await sendProbe(run, probe)] })),
    )
  }
  return seen
}

async function observeEcho(run: Run): Promise<Seen> {
  const probe = run.scenario.echo
  if (probe === undefined) return notInScenario('echo', 'echo')
  return await attempt(run, 'echo', async () => ({
    contrast: await sendProbe(run, probe, { headers: harmlessHeader() }),
    exchanges: [await sendProbe(run, probe, { headers: { ...harmlessHeader(), ...forgedHeaders() } })],
  }))
}

/** A header that a proxy forwards (RFC 9110 5.1). It shows that the answer is an echo. */
function harmlessHeader(): Readonly<Record<string, string>> {
  return { [ECHOED]: randomUUID() }
}

/** Headers that only the gateway may set. The profile lets a client send the tenant and the principal themselves. */
const owned = [headers.actorSubject, headers.actorIssuer, headers.actorRoles, headers.agenticIdentity]
const named = [...owned, headers.tenantId, headers.actorPrincipal]

/** Forged identity headers, each with its own value. Some servers read `X_Tenant_ID` and `X.Tenant.ID` as `X-Tenant-ID`. */
function forgedHeaders(): Readonly<Record<string, string>> {
  const spelled = ['_', '.'].flatMap((sign) => named.map((name) => name.replaceAll('-', sign)))
  return Object.fromEntries([...owned, ...spelled].map((name) => [name, `${FORGED}${randomUUID()}`]))
}
