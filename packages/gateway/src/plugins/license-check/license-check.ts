import { conditions, outcomes } from '@agentic-rest/profile'
import type { LicenseCheckOptions, RouteConfig, WebhookOptions } from '../../config/config-schema.ts'
import { InitialisationError, refusal } from '../../errors.ts'
import type { StepResult } from '../../exchange.ts'
import type { PipelineContext, PipelinePlugin, PluginPlan } from '../../plugin.ts'
import type { HttpAnswer } from '../../upstream/http-client.ts'
import { createWebhookLookup, type WebhookLookup } from '../../upstream/webhook-lookup.ts'

/** `unlisted`: the table has no entry for the tenant. */
type TableVerdict = 'licensed' | 'expired' | 'unlicensed' | 'unlisted'

interface License {
  readonly features: ReadonlySet<string>
  readonly expiresAtMs: number
}

/** The licences of the configuration by tenant. A map, because a tenant may be called `constructor`. */
type LicenseTable = ReadonlyMap<string, License>

/** The server that answers whether a tenant has a feature. */
type LicenseServer = WebhookLookup<'tenant' | 'feature', boolean>

interface LicenseSources {
  readonly table: LicenseTable
  readonly server: LicenseServer | undefined
}

interface LicenseQuestion {
  readonly tenant: string
  readonly feature: string
}

/** Refuses a request when its tenant has no licence for the feature of the route (decision 20). */
export function licenseCheck(options: LicenseCheckOptions, context: PipelineContext): PipelinePlugin {
  const server = options.webhook && createLicenseServer(options.webhook, context)
  const sources: LicenseSources = { table: createLicenseTable(options.tenants), server }
  return {
    name: 'license-check',
    request: function checkLicense({ route, tenantId: tenant }) {
      const feature = route?.license
      if (feature === undefined) return undefined
      // Only a tenant can hold a licence.
      return tenant === undefined ? refusal('LICENSE_REQUIRED') : judge({ tenant, feature }, sources)
    },
    plan: planLicenseCheck,
    degraded: () => server?.degraded(),
    cause: () => server?.cause(),
  }
}

/** Whether a route needs a licence. */
export function planLicenseCheck({ license }: RouteConfig): PluginPlan {
  if (license === undefined) return { runs: false, why: 'the route names no license' }
  return { runs: true, why: `wants a licence for the feature ${license}` }
}

/** The table alone decides about the tenants in it; the server decides about all others. */
function judge(
  question: LicenseQuestion,
  { table, server }: LicenseSources,
): StepResult | Promise<StepResult> {
  switch (lookUp(table, question)) {
    case 'licensed':
      return undefined
    case 'expired':
      return refusal('LICENSE_EXPIRED')
    case 'unlicensed':
      return refusal('LICENSE_REQUIRED')
    case 'unlisted':
      return server === undefined ? refusal('LICENSE_REQUIRED') : askServer(question, server)
  }
}

function lookUp(table: LicenseTable, { tenant, feature }: LicenseQuestion): TableVerdict {
  const license = table.get(tenant)
  if (license === undefined) return 'unlisted'
  // The feature comes before the date: a renewal would not help a tenant without the feature.
  if (!license.features.has(feature)) return 'unlicensed'
  return Date.now() < license.expiresAtMs ? 'licensed' : 'expired'
}

/** A cached answer costs no promise. */
function askServer(question: LicenseQuestion, server: LicenseServer): StepResult | Promise<StepResult> {
  const licensed = server.find(question)
  return licensed instanceof Promise ? licensed.then(toResult) : toResult(licensed)
}

function toResult(licensed: boolean | undefined): StepResult {
  if (licensed === undefined) return refusal('LICENSE_UNAVAILABLE')
  return licensed ? undefined : refusal('LICENSE_REQUIRED')
}

function createLicenseTable(tenants: LicenseCheckOptions['tenants']): LicenseTable {
  return new Map(Object.entries(tenants).map(([tenant, entry]) => [tenant, toLicense(entry)]))
}

function toLicense({ features, expires_at }: LicenseCheckOptions['tenants'][string]): License {
  const expiresAtMs = expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
  // Every comparison with NaN is false: the tenant would be locked out without a message.
  if (Number.isNaN(expiresAtMs)) throw new InitialisationError('a licence has an expires_at that is no time')
  return { features: new Set(features), expiresAtMs }
}

function createLicenseServer(options: WebhookOptions, context: PipelineContext): LicenseServer {
  return createWebhookLookup(
    options,
    {
      title: 'the licence server',
      placeholders: ['tenant', 'feature'],
      read: readLicenseAnswer,
      isNegative: (licensed) => !licensed,
      unaskable: false,
    },
    context,
  )
}

/** Any other status is a failure (`undefined`), never a licence. */
function readLicenseAnswer({ status }: HttpAnswer): boolean | undefined {
  if (status === outcomes.success.status) return true
  return status === outcomes.forbidden.status || status === conditions.not_found ? false : undefined
}
