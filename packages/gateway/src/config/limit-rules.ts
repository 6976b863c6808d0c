import { didYouMean } from './did-you-mean.ts'
import {
  type Draft,
  entriesAt,
  exactlyOneOf,
  findRepeats,
  isMap,
  isPresent,
  type Rule,
  type RuleFinding,
  textAt,
  uniqueTexts,
  valueAt,
} from './draft.ts'
import type { Path } from './faults.ts'
import { MOST_PER_SECOND, MOST_POLICIES } from './schema/limit-sections.ts'

const RATE_LIMITS: Path = ['gateway', 'rate_limits']
const PRICES: Path = ['gateway', 'prices']

const policiesOf = ({ value }: Draft) =>
  entriesAt(value, RATE_LIMITS).filter((policy) => isMap(valueAt(value, policy)))
/** A list of prices stands in the map, or in its place. */
const pricesOf = ({ value }: Draft) =>
  [PRICES, [...PRICES, 'models']].flatMap((path) => entriesAt(value, path))

/** Applies a check to each policy. */
const eachPolicy =
  (check: (draft: Draft, policy: Path) => readonly RuleFinding[]): Rule =>
  (draft) =>
    policiesOf(draft).flatMap((policy) => check(draft, policy))

const has = ({ value }: Draft, policy: Path, key: string) => isPresent(value, [...policy, key])

const numberAt = ({ value }: Draft, policy: Path, key: string): number | undefined => {
  const found = valueAt(value, [...policy, key])
  return typeof found === 'number' ? found : undefined
}

const fewPolicies: Rule = (draft) =>
  policiesOf(draft).length > MOST_POLICIES
    ? [{ path: RATE_LIMITS, message: `has more than ${MOST_POLICIES} policies` }]
    : []

const oneUnit = eachPolicy((draft, policy) => exactlyOneOf(draft, policy, ['requests', 'tokens', 'cost']))

const isBudget = (draft: Draft, policy: Path) => has(draft, policy, 'tokens') || has(draft, policy, 'cost')

/** The keys that a policy needs, and those that mean nothing beside its unit. */
const fittingKeys = eachPolicy((draft, policy) => {
  const isRate = has(draft, policy, 'requests')
  // Without one unit the kind of the policy is unknown, and `oneUnit` says so.
  if (isRate === isBudget(draft, policy)) return []
  const [needed, strangers] = isRate
    ? ['per_seconds', ['per', 'estimate']]
    : ['per', ['per_seconds', 'burst']]
  const unit = isRate ? 'requests' : 'tokens and cost'
  const other = isRate ? 'tokens and cost' : 'requests'
  const missing = has(draft, policy, needed)
    ? []
    : [{ path: [...policy, needed], message: `is required beside ${unit}`, absence: true }]
  const wrong = strangers
    .filter((key) => has(draft, policy, key))
    .map((key) => ({ path: [...policy, key], message: `belongs to ${other}, not to ${unit}` }))
  return [...missing, ...wrong]
})

const burstFits = eachPolicy((draft, policy) => {
  const [burst, requests] = [numberAt(draft, policy, 'burst'), numberAt(draft, policy, 'requests')]
  if (burst === undefined || requests === undefined || burst <= requests) return []
  return [{ path: [...policy, 'burst'], message: `must be at most requests, which is ${requests}` }]
})

const rateIsMeasurable = eachPolicy((draft, policy) => {
  const [requests, seconds] = [numberAt(draft, policy, 'requests'), numberAt(draft, policy, 'per_seconds')]
  if (requests === undefined || seconds === undefined || requests <= seconds * MOST_PER_SECOND) return []
  const message = `is more than ${MOST_PER_SECOND} a second, which no clock can keep apart`
  return [{ path: [...policy, 'requests'], message }]
})

const estimateFits = eachPolicy((draft, policy) => {
  const [estimate, tokens] = [numberAt(draft, policy, 'estimate'), numberAt(draft, policy, 'tokens')]
  if (estimate === undefined || tokens === undefined || estimate <= tokens) return []
  return [{ path: [...policy, 'estimate'], message: 'is more than tokens, so that no request would fit' }]
})

const routesExist: Rule = (draft) => {
  const ids = entriesAt(draft.value, ['routes']).flatMap(
    (route) => textAt(draft.value, [...route, 'id']) ?? [],
  )
  return policiesOf(draft).flatMap((policy) => {
    const named = entriesAt(draft.value, [...policy, 'routes'])
    const unknown = named.flatMap((path) => {
      const id = textAt(draft.value, path)
      if (id === undefined || ids.includes(id)) return []
      return [{ path, message: `there is no route${draft.show(path)}${didYouMean(id, ids)}` }]
    })
    return [...unknown, ...repeats(draft, named)]
  })
}

const repeats = (draft: Draft, entries: readonly Path[]): readonly RuleFinding[] =>
  findRepeats(entries, (path) => textAt(draft.value, path)).map(({ entry }) => ({
    path: entry,
    message: `duplicate${draft.show(entry)}`,
  }))

const costNeedsPrices: Rule = (draft) =>
  pricesOf(draft).length > 0
    ? []
    : policiesOf(draft)
        .filter((policy) => has(draft, policy, 'cost'))
        .map((policy) => ({
          path: [...policy, 'cost'],
          message: 'needs gateway.prices.models',
          absence: true,
        }))

/** The tenant is the one key that a caller cannot multiply. */
const keysMakeSense = eachPolicy((draft, policy) => {
  const path = [...policy, 'key']
  const entries = entriesAt(draft.value, path)
  const twice = repeats(draft, entries)
  const names = entries.map((entry) => textAt(draft.value, entry))
  if (names.length === 0 || twice.length > 0) return twice
  const subject = entries[names.indexOf('subject')]
  if (!names.includes('tenant')) {
    if (subject !== undefined)
      return [{ path: subject, message: 'needs tenant in the key: a caller is counted within its tenant' }]
    if (isBudget(draft, policy))
      return [{ path, message: 'needs tenant: tokens and cost are the budget of a tenant' }]
  }
  const mode = textAt(draft.value, ['plugins', 'token-validator', 'mode'])
  return mode === 'off' && subject !== undefined
    ? [
        {
          path: subject,
          message: 'cannot be counted while token-validator has mode off, which knows no caller',
        },
      ]
    : []
})

/** The rules of `gateway.rate_limits` and `gateway.prices`. */
export const limitRules: readonly Rule[] = [
  fewPolicies,
  uniqueTexts(policiesOf, 'name', 'policy name'),
  oneUnit,
  fittingKeys,
  burstFits,
  rateIsMeasurable,
  estimateFits,
  keysMakeSense,
  routesExist,
  costNeedsPrices,
  uniqueTexts(pricesOf, 'model', 'model'),
]
