import { z } from 'zod'
import { expected, filledList, integer, list, oneOf, patterned, section, text } from './field-kinds.ts'

/** The facts of a request that a limit can count by. */
export const LIMIT_KEYS = ['tenant', 'subject', 'route'] as const

/** The calendar periods of a budget, in UTC. */
export const BUDGET_PERIODS = ['day', 'month'] as const

/** Millionths of a currency unit: money is counted in whole ones. */
export const MICRO = 1_000_000

/** Most requests a second of one key: the clock of a limit counts whole microseconds, and a step needs at least ten. */
export const MOST_PER_SECOND = 100_000

/** Most policies of a configuration: every answer of a limited route names them in its headers. */
export const MOST_POLICIES = 16

/** An integer of a structured field has at most 15 digits (RFC 9651, section 3.3.1). */
const MOST_TOKENS = 999_999_999_999_999
const MOST_COST = 999_999_999
const MOST_PRICE = 1_000_000
const LONGEST_WINDOW_SECONDS = 2_678_400

/** An amount of money with at most six decimals. */
const money = (min: number, max: number) => {
  const error = expected(`an amount from ${min} to ${max} with at most six decimals`)
  return z
    .number({ error })
    .min(min, { error, abort: true })
    .max(max, { error, abort: true })
    .refine(isWholeMicro, { error })
}

// A text, because 0.1 * 1,000,000 is no test for decimals: the product of two floats is rounded.
const isWholeMicro = (amount: number): boolean => /^\d+(?:\.\d{1,6})?$/.test(String(amount))

/** One entry of `rate_limits`. */
export const rateLimitSection = section({
  name: patterned(
    'a policy name (1 to 64 letters, digits, ".", "_" or "-")',
    /^[A-Za-z0-9._-]{1,64}$/,
  ).describe(
    'Name of the policy in refusals, headers, metrics and audit records. A reload keeps its counts.',
  ),
  key: filledList(oneOf(LIMIT_KEYS))
    .default(['tenant'])
    .describe('What is counted separately: each tenant, each caller of a tenant, each route.'),
  requests: integer(1, 1_000_000_000)
    .optional()
    .describe('Requests in per_seconds, evenly spread; instead of tokens and cost.'),
  per_seconds: integer(1, LONGEST_WINDOW_SECONDS).optional().describe('The time of requests.'),
  burst: integer(1, 1_000_000_000)
    .optional()
    .describe('Requests at one moment; absent means a tenth of requests, at least 1.'),
  tokens: integer(1, MOST_TOKENS)
    .optional()
    .describe(
      'Tokens of language models in one period, input and output together; instead of requests and cost.',
    ),
  cost: money(0.000001, MOST_COST)
    .optional()
    .describe('Money in one period, by gateway.prices; instead of requests and tokens.'),
  per: oneOf(BUDGET_PERIODS).optional().describe('The period of tokens or cost, by the calendar in UTC.'),
  routes: filledList(text('a route id'))
    .optional()
    .describe('Ids of the routes that count; absent means all.'),
  estimate: integer(1, 1_000_000_000)
    .optional()
    .describe(
      'Output tokens that are reserved for a request whose body names no max_tokens or max_completion_tokens; absent means 1000, or half of tokens if that is less.',
    ),
  on_store_failure: oneOf(['local', 'refuse'])
    .default('local')
    .describe(
      'Without the store of gateway.shared: each gateway keeps the limit for itself, or requests are refused with STORE_UNAVAILABLE.',
    ),
})

const priceSection = section({
  model: patterned(
    'a model name (1 to 128 printable ASCII characters without blanks, * for any characters)',
    /^[!-~]{1,128}$/,
  ).describe('Model name; * stands for any characters. The first entry that fits counts.'),
  input: money(0, MOST_PRICE).describe('Price of a million input tokens.'),
  output: money(0, MOST_PRICE).describe('Price of a million output tokens.'),
})

const priceList = list(priceSection)

const pricesMap = section({
  currency: patterned('a currency code (three capital letters of ISO 4217, such as EUR)', /^[A-Z]{3}$/)
    .optional()
    .describe(
      'Currency of all prices and costs, shown beside amounts; absent means that amounts have no unit.',
    ),
  models: priceList.default([]).describe('Price of each model.'),
})

/** The section `prices`; a list alone is `models`. */
export const pricesSection = z.union(
  [pricesMap, priceList.transform((models): z.infer<typeof pricesMap> => ({ models }))],
  { error: expected('a map with currency and models, or a list of prices') },
)
