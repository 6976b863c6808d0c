import type { Probe } from '../scenario/scenario-schema.ts'
import { NO_TOKEN } from '../scenario/scenario-schema.ts'
import type { Bearer, Exchange } from '../wire/exchange.ts'
import { notInScenario, type ObservationName, type Seen } from './observation.ts'
import type { Run, Sending } from './run.ts'
import { attempt, sendProbe } from './take-steps.ts'

/** Sends a valid request without a token, with invalid tokens and for a tenant that the token does not allow. */
export async function observeRefusals(run: Run): Promise<Seen[]> {
  return [...(await observeAccess(run)), ...(await observeUpstreams(run))]
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
