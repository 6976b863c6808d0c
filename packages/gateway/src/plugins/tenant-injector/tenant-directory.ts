import { conditions, outcomes, parseJson } from '@agentic-rest/profile'
import type { WebhookOptions } from '../../config/config-schema.ts'
import type { PipelineContext } from '../../plugin.ts'
import type { HttpAnswer } from '../../upstream/http-client.ts'
import { createWebhookLookup, type WebhookLookup } from '../../upstream/webhook-lookup.ts'

/** The tenants of a principal, or `unknown` for a principal that the directory does not know. */
export type DirectoryAnswer = readonly string[] | 'unknown'

/** A cached look-up of the tenants of a principal. */
export type TenantDirectory = WebhookLookup<'principal' | 'issuer', DirectoryAnswer>

/** Creates the look-up through the tenant webhook (decision 19). */
export function createTenantDirectory(options: WebhookOptions, context: PipelineContext): TenantDirectory {
  return createWebhookLookup(
    options,
    {
      title: 'the tenant directory',
      placeholders: ['principal', 'issuer'],
      optional: ['issuer'],
      read: readDirectoryAnswer,
      isNegative: (answer) => answer === 'unknown' || answer.length === 0,
      unaskable: 'unknown',
    },
    context,
  )
}

/** Reads an answer; `undefined` when it breaks the contract of the directory. */
function readDirectoryAnswer({ status, body }: HttpAnswer): DirectoryAnswer | undefined {
  if (status === conditions.not_found) return 'unknown'
  return status === outcomes.success.status ? tenantsIn(parseJson(body.toString()).value) : undefined
}

function tenantsIn(answer: unknown): readonly string[] | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { tenant_id: one, tenants: list } = answer as Record<string, unknown>
  if (list === undefined) return typeof one === 'string' ? [one] : undefined
  // Both members at once may contradict each other, so they are no answer.
  return one === undefined && isTextList(list) ? [...new Set(list)] : undefined
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
