import { headerKeys } from '@agentic-rest/profile'
import type { TenantInjectorOptions } from '../../config/config-schema.ts'
import { refusal } from '../../errors.ts'
import type { Exchange, Identity, StepResult } from '../../exchange.ts'
import type { Plugin, PluginContext } from '../../plugin.ts'
import { readClaim } from '../read-claim.ts'
import { type PickedTenant, pickTenant } from './pick-tenant.ts'
import { createTenantDirectory, type DirectoryAnswer, type TenantDirectory } from './tenant-directory.ts'
import { type Admits, admitting } from './tenant-id.ts'

interface TenantRules {
  readonly claim: string
  readonly admits: Admits
  readonly directory: TenantDirectory | undefined
}

/** Resolves the tenant of a request and refuses one that the caller may not have (decisions 18 and 19). */
export function tenantInjector(options: TenantInjectorOptions, context: PluginContext): Plugin {
  const directory = options.webhook && createTenantDirectory(options.webhook, context)
  const rules: TenantRules = { claim: options.claim, admits: admitting(options.allowed), directory }
  return {
    name: 'tenant-injector',
    request: function injectTenant(exchange) {
      const picked = resolveTenant(exchange, rules)
      if (!(picked instanceof Promise)) return setTenant(exchange, picked)
      return picked.then((tenant) => setTenant(exchange, tenant))
    },
    degraded: () => directory?.degraded(),
  }
}

function setTenant(exchange: Exchange, picked: PickedTenant): StepResult {
  if (typeof picked !== 'string') return picked
  exchange.tenantId = picked
  return undefined
}

/** Tries the sources in the order of decision 18; exactly one of them decides. */
function resolveTenant(exchange: Exchange, rules: TenantRules): PickedTenant | Promise<PickedTenant> {
  const { identity } = exchange
  const { directory, admits } = rules
  // Nobody is known whom the directory could be asked about.
  if (directory !== undefined && identity === undefined) return refusal('TENANT_REQUIRED')
  const asked = askedTenant(exchange)
  if (asked !== undefined && !admits(asked)) return refusal('TENANT_UNKNOWN')
  const serviceAccount = identity?.serviceAccount === true
  // The forwarded header is authoritative on an inter-agent hop (Authentication, 5): a claim cannot stand in for it.
  if (serviceAccount && asked === undefined) return refusal('TENANT_REQUIRED')
  if (directory === undefined || identity === undefined || serviceAccount)
    return pickTenant({ asked, granted: claimedTenants(identity, rules.claim) }, admits)
  return fromDirectory(directory, { principal: identity.subject, asked }, admits)
}

/** An empty header counts as absent, like the identifiers of decision 14. */
function askedTenant({ headers }: Exchange): string | undefined {
  return headers[headerKeys.tenantId] || undefined
}

/** A claim that is no list grants its one value, whatever that is: what is no tenant is then never admitted. */
function claimedTenants(identity: Identity | undefined, claim: string): readonly unknown[] | undefined {
  if (identity === undefined) return undefined
  const value = readClaim(identity.claims, identity.tenantClaim ?? claim)
  if (value === undefined) return undefined
  return Array.isArray(value) ? value : [value]
}

interface DirectoryRequest {
  /** The validated subject, never the actor header: that one is the caller's own word. */
  readonly principal: string
  readonly asked: string | undefined
}

function fromDirectory(
  directory: TenantDirectory,
  { principal, asked }: DirectoryRequest,
  admits: Admits,
): PickedTenant | Promise<PickedTenant> {
  const pick = (answer: DirectoryAnswer | undefined): PickedTenant => {
    if (answer === undefined) return refusal('TENANT_LOOKUP_UNAVAILABLE')
    if (answer === 'unknown') return refusal('TENANT_UNKNOWN')
    return pickTenant({ asked, granted: answer }, admits)
  }
  const answer = directory.find({ principal })
  return answer instanceof Promise ? answer.then(pick) : pick(answer)
}
