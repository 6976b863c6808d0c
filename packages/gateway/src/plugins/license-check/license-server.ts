import { conditions, outcomes } from '@agentic-rest/profile'
import type { WebhookOptions } from '../../config/config-schema.ts'
import type { PluginContext } from '../../plugin.ts'
import type { HttpAnswer } from '../../upstream/http-client.ts'
import { createWebhookLookup, type WebhookLookup } from '../../upstream/lookup/webhook-lookup.ts'

/** The server that knows whether a tenant has a feature. */
export type LicenseServer = WebhookLookup<'tenant' | 'feature', boolean>

/** Makes the server of the licence webhook (decision 20). */
export function createLicenseServer(options: WebhookOptions, context: PluginContext): LicenseServer {
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

/** Yes or no, or `undefined` when the status is neither: what is not understood is not a licence. */
export function readLicenseAnswer({ status }: HttpAnswer): boolean | undefined {
  if (status === outcomes.success.status) return true
  return status === outcomes.forbidden.status || status === conditions.not_found ? false : undefined
}
