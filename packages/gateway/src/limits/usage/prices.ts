import type { Usage } from './usage.ts'

/** The price of the models whose names match a pattern, per million tokens. */
export interface Price {
  /** A name in which `*` stands for any text, also for none. */
  readonly model: string
  readonly input: number
  readonly output: number
}

/** Finds the cost of tokens. */
export interface Prices {
  /** The cost in millionths, rounded up; `undefined` for a model without a price. */
  costMicro(usage: Usage): number | undefined
}

const MILLION = 1_000_000

/** The highest price per million tokens. Above it the cost of the most tokens would leave the exact integers. */
export const HIGHEST_PRICE = 1_000_000

/**
 * A price per million tokens as an integer of millionths; `undefined` if it is negative, above the bound, or has more
 * than six decimals.
 */
export function priceMicro(price: number): number | undefined {
  if (!(price >= 0 && price <= HIGHEST_PRICE)) return undefined
  const micro = Math.round(price * MILLION)
  // The same number again only if no digit was lost.
  return micro / MILLION === price ? micro : undefined
}

interface Row {
  readonly matches: (model: string) => boolean
  readonly inputMicro: number
  readonly outputMicro: number
}

/** A table of prices; the first row that matches a model counts. Throws for a price that is refused by `priceMicro`. */
export function createPrices(prices: readonly Price[]): Prices {
  const rows = prices.map(
    ({ model, input, output }): Row => ({
      matches: globMatcher(model),
      inputMicro: checkedMicro(input),
      outputMicro: checkedMicro(output),
    }),
  )
  return {
    costMicro({ input, output, model }) {
      const row = model === undefined ? undefined : rows.find(({ matches }) => matches(model))
      return row === undefined ? undefined : costOf(row, input, output)
    },
  }
}

function checkedMicro(price: number): number {
  const micro = priceMicro(price)
  if (micro === undefined)
    throw new RangeError(`a price must be from 0 to ${HIGHEST_PRICE} and have at most six decimals`)
  return micro
}

/** Rounded up, so that no paid token is free. */
function costOf({ inputMicro, outputMicro }: Row, input: number, output: number): number {
  const cost = input * inputMicro + output * outputMicro
  // Exact below 2^53: each part is an integer, and a sum that was rounded is not below it.
  if (cost <= Number.MAX_SAFE_INTEGER) return Math.floor(cost / MILLION) + (cost % MILLION === 0 ? 0 : 1)
  const exact = BigInt(input) * BigInt(inputMicro) + BigInt(output) * BigInt(outputMicro)
  return Number((exact + BigInt(MILLION - 1)) / BigInt(MILLION))
}

/** Matches a name with a pattern in linear time: a regular expression could take very long for a name that a caller made up. */
function globMatcher(pattern: string): (name: string) => boolean {
  const [prefix = '', ...parts] = pattern.split('*')
  const suffix = parts.pop()
  if (suffix === undefined) return (name) => name === pattern
  return (name) => {
    if (!name.startsWith(prefix)) return false
    let at = prefix.length
    for (const part of parts) {
      const found = name.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return name.length - suffix.length >= at && name.endsWith(suffix)
  }
}
