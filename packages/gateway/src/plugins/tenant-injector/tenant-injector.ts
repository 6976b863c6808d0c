import { detached, memoize } from '@agentic-rest/http1'
import { headerKeys, type Outcome, readClaim } from '@agentic-rest/profile'
import type { TenantInjectorOptions } from '../../config/config-schema.ts'
import { TENANT_ID } from '../../config/schema/formats.ts'
import { refusal } from '../../errors.ts'
import type { Exchange, Identity, StepResult } from '../../exchange.ts'
import type { PipelineContext, PipelinePlugin, PluginPlan } from '../../plugin.ts'
import { createTenantDirectory, type DirectoryAnswer, type TenantDirectory } from './tenant-directory.ts'

/** Whether a value of any source is a well-formed and allowed tenant id. */
type IsAllowedTenant = (value: unknown) => value is string

interface TenantRules {
  readonly claim: string
  /** The header alone decides for callers without a claim. */
  readonly trustHeader: boolean
  readonly isAllowed: IsAllowedTenant
  readonly directory: TenantDirectory | undefined
}

/** The tenant of a request, or the outcome that refuses it. */
type PickedTenant = string | Outcome

interface TenantRequest {
  /** The tenant header, already checked; `undefined` when absent. */
  readonly asked: string | undefined
  /** The unchecked tenants of the claim or the directory; `undefined` when neither has an entry. */
  readonly granted: readonly unknown[] | undefined
}

interface DirectoryRequest {
  /** Issuer and subject of the validated token, never the actor header: any caller can set that. */
  readonly identity: Identity
  readonly asked: string | undefined
}

/** The options, and whether token-validator identifies the callers. */
export interface TenantSettings extends TenantInjectorOptions {
  readonly callersKnown?: boolean
}

/** Sets the tenant of a request, or refuses a tenant that the caller has no right to (decisions 18 and 19). */
export function tenantInjector(options: TenantSettings, context: PipelineContext): PipelinePlugin {
  const directory = options.webhook && createTenantDirectory(options.webhook, context)
  const rules: TenantRules = {
    claim: options.claim,
    trustHeader: options.trust_header === 'everyone',
    isAllowed: allowing(options.allowed),
    directory,
  }
  return {
    name: 'tenant-injector',
    request: function injectTenant(exchange) {
      const picked = resolveTenant(exchange, rules)
      if (!(picked instanceof Promise)) return setTenant(exchange, picked)
      return picked.then((tenant) => setTenant(exchange, tenant))
    },
    plan: () => planTenantInjector(options),
    degraded: () => directory?.degraded(),
    cause: () => directory?.cause(),
  }
}

const MOST_NAMES = 5

/** Where the tenant of a request comes from. */
export function planTenantInjector(options: TenantSettings): PluginPlan {
  const { claim, allowed, webhook, trust_header: trusted, callersKnown = true } = options
  const known = webhook === undefined ? `the claim ${claim}` : 'the directory'
  const decides = trusted === 'everyone' && webhook === undefined
  const header = decides ? ' or the header' : ', for service accounts from the header'
  const source = callersKnown ? `${known}${header}` : 'the header'
  const bound = allowed === undefined ? '' : `; allowed: ${firstOf(allowed)}`
  return { runs: true, why: `takes the tenant from ${source}${bound}` }
}

function firstOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Without a list of allowed tenants, every well-formed id is allowed. */
function allowing(allowed: readonly string[] | undefined): IsAllowedTenant {
  if (allowed === undefined) return isTenantId
  const tenants = new Set<unknown>(allowed)
  return (value): value is string => isTenantId(value) && tenants.has(value)
}

function isTenantId(value: unknown): value is string {
  return typeof value === 'string' && TENANT_ID.test(value)
}

// Counts and metrics of tenants outlive their requests.
const ownText = memoize(detached)

function setTenant(exchange: Exchange, picked: PickedTenant): StepResult {
  if (typeof picked !== 'string') return picked
  exchange.tenantId = ownText(picked)
  return undefined
}

/** Tries the sources in the order of decision 18; exactly one of them decides. */
function resolveTenant(exchange: Exchange, rules: TenantRules): PickedTenant | Promise<PickedTenant> {
  const { identity } = exchange
  const { directory, isAllowed } = rules
  // The directory needs a principal.
  if (directory !== undefined && identity === undefined) return refusal('TENANT_REQUIRED')
  const asked = askedTenant(exchange)
  if (asked !== undefined && !isAllowed(asked)) return refusal('TENANT_UNKNOWN')
  const granted = claimedTenants(identity, rules.claim)
  if (identity?.serviceAccount === true) return pickForService(identity, { asked, granted })
  if (directory !== undefined && identity !== undefined)
    return fromDirectory(directory, { identity, asked }, isAllowed)
  if (granted === undefined && !rules.trustHeader) return refusal('TENANT_REQUIRED')
  return pickTenant({ asked, granted }, isAllowed)
}

/** The forwarded header is authoritative on an inter-agent hop (Authentication, 5): no claim replaces it. */
function pickForService({ serviceTenants }: Identity, { asked, granted }: TenantRequest): PickedTenant {
  if (asked === undefined) return refusal('TENANT_REQUIRED')
  const mayAsk = serviceTenants?.has(asked) !== false && granted?.includes(asked) !== false
  return mayAsk ? asked : refusal('TENANT_MISMATCH')
}

/** An empty header counts as absent, like the identifiers of decision 14. */
function askedTenant({ headers }: Exchange): string | undefined {
  return headers[headerKeys.tenantId] || undefined
}

/** A claim that is no list grants its one value; a value of another type is refused later, as not allowed. */
function claimedTenants(identity: Identity | undefined, claim: string): readonly unknown[] | undefined {
  if (identity === undefined) return undefined
  const value = readClaim(identity.claims, identity.tenantClaim ?? claim)
  if (value === undefined) return undefined
  return Array.isArray(value) ? value : [value]
}

function fromDirectory(
  directory: TenantDirectory,
  { identity, asked }: DirectoryRequest,
  isAllowed: IsAllowedTenant,
): PickedTenant | Promise<PickedTenant> {
  const pick = (answer: DirectoryAnswer | undefined): PickedTenant => {
    if (answer === undefined) return refusal('TENANT_LOOKUP_UNAVAILABLE')
    if (answer === 'unknown') return refusal('TENANT_UNKNOWN')
    return pickTenant({ asked, granted: answer }, isAllowed)
  }
  const answer = directory.find({ principal: identity.subject, issuer: identity.issuer })
  return answer instanceof Promise ? answer.then(pick) : pick(answer)
}

/** The header picks among the granted tenants; without a header there must be exactly one (decision 18). */
function pickTenant({ asked, granted }: TenantRequest, isAllowed: IsAllowedTenant): PickedTenant {
  if (asked === undefined) return onlyTenant(granted ?? [], isAllowed)
  if (granted === undefined || granted.includes(asked)) return asked
  return refusal('TENANT_MISMATCH')
}

/** The list of allowed tenants never chooses among several granted ones: the caller must name one. */
function onlyTenant(granted: readonly unknown[], isAllowed: IsAllowedTenant): PickedTenant {
  const [only] = granted
  if (granted.length === 0 || granted.some((tenant) => tenant !== only)) return refusal('TENANT_REQUIRED')
  return isAllowed(only) ? only : refusal('TENANT_UNKNOWN')
}
