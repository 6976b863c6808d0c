import { checkWebhookUrl } from './address-checks.ts'
import { checked, dictionary, integer, patterned, section } from './field-kinds.ts'
import { lookupHeaderName } from './header-name.ts'

const headerValue = () => patterned('a header value without control characters', /^[\t\x20-\x7e\x80-\xff]*$/)

/** A webhook's options (decisions 19 and 20): `GET url` with its placeholders filled in, answers cached. */
export const webhookSection = (...placeholders: readonly string[]) =>
  section({
    url: checked('a URL', checkWebhookUrl(...placeholders)).describe(
      `Address that is asked, with ${placeholders.map((name) => `{${name}}`).join(' and ')} in its path or query.`,
    ),
    timeout_ms: integer(1, 60_000).default(500).describe('How long one call may take, in milliseconds.'),
    cache_ttl_seconds: integer(0, 86_400).default(300).describe('How long a positive answer is kept.'),
    negative_ttl_seconds: integer(0, 86_400).default(30).describe('How long a negative answer is kept.'),
    cache_max_entries: integer(1, 1_000_000).default(10_000).describe('Most answers kept at a time.'),
    headers: dictionary(lookupHeaderName(), headerValue())
      .prefault({})
      .describe(
        'Headers sent with each call, for example a credential, but none of the connection such as Host; values are never shown.',
      ),
  })
