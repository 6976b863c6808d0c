import type { LicenseCheckOptions } from '../../config/config-schema.ts'
import { refusal } from '../../errors.ts'
import type { StepResult } from '../../exchange.ts'
import type { Plugin, PluginContext } from '../../plugin.ts'
import { createLicenseServer, type LicenseServer } from './license-server.ts'
import { createLicenseTable, type LicenseTable } from './license-table.ts'

interface LicenseSources {
  readonly table: LicenseTable
  readonly server: LicenseServer | undefined
}

interface LicenseQuestion {
  readonly tenant: string
  readonly feature: string
}

/** Refuses a route whose feature the tenant has no licence for (decision 20). */
export function licenseCheck(options: LicenseCheckOptions, context: PluginContext): Plugin {
  const server = options.webhook && createLicenseServer(options.webhook, context)
  const sources: LicenseSources = { table: createLicenseTable(options.tenants), server }
  return {
    name: 'license-check',
    request: function checkLicense({ route, tenantId: tenant }) {
      const feature = route?.config.license
      if (feature === undefined) return undefined
      // Without a tenant there is nobody who could hold a licence.
      return tenant === undefined ? refusal('LICENSE_REQUIRED') : judge({ tenant, feature }, sources)
    },
    degraded: () => server?.degraded(),
  }
}

/** The table has the last word on the tenants it lists; the server is asked about the others. */
function judge(
  question: LicenseQuestion,
  { table, server }: LicenseSources,
): StepResult | Promise<StepResult> {
  switch (table.verdict(question.tenant, question.feature)) {
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

function askServer(question: LicenseQuestion, server: LicenseServer): StepResult | Promise<StepResult> {
  const licensed = server.find(question)
  return licensed instanceof Promise ? licensed.then(toResult) : toResult(licensed)
}

function toResult(licensed: boolean | undefined): StepResult {
  if (licensed === undefined) return refusal('LICENSE_UNAVAILABLE')
  return licensed ? undefined : refusal('LICENSE_REQUIRED')
}
