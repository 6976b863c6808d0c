/** The fields of a product that ranking needs. */
export interface RankedProduct {
  readonly id: string
  readonly name: string
  readonly category: string
  readonly priceCents: number
}

/** An order and its customer. */
export interface Basket {
  readonly customerId: string
  readonly productIds: readonly string[]
}

/** The reason of a recommendation. */
export type Reason = 'bought_together' | 'same_category' | 'popular'

/** A recommended product. The score from 0 to 1 measures the support by the data. */
export interface Recommendation {
  readonly productId: string
  readonly name: string
  readonly priceCents: number
  readonly reason: Reason
  readonly score: number
}

interface Scored {
  readonly product: RankedProduct
  readonly reason: Reason
  readonly score: number
}

/** The data to rank. */
export interface RankingData {
  readonly products: ReadonlyMap<string, RankedProduct>
  readonly baskets: readonly Basket[]
}

/**
 * Ranks products for a product: first those bought together with it, then similar ones. If the product is not in stock,
 * similar ones come first.
 */
export function rankForProduct(product: RankedProduct, data: RankingData, isAvailable: boolean) {
  const others = [...data.products.values()].filter(({ id }) => id !== product.id)
  const similarity = createSimilarity(data.baskets)
  const together = others.map(
    (other): Scored => ({
      product: other,
      reason: 'bought_together',
      score: similarity(product.id, other.id),
    }),
  )
  const alike = others
    .filter(({ category }) => category === product.category)
    .map((other): Scored => ({ product: other, reason: 'same_category', score: closeness(product, other) }))
  const [first, second] = isAvailable ? [together, alike] : [alike, together]
  return withoutRepeats([...byScore(first), ...byScore(second)]).map(toRecommendation)
}

/** Ranks products for a customer: those bought together with the customer's products; for a new customer, the best sellers. */
export function rankForCustomer(customerId: string, { products, baskets }: RankingData) {
  const own = baskets.filter((basket) => basket.customerId === customerId)
  const owned = new Set(own.flatMap(({ productIds }) => productIds))
  const others = [...products.values()].filter(({ id }) => !owned.has(id))
  const similarity = createSimilarity(baskets)
  const suiting = others.map(
    (product): Scored => ({
      product,
      reason: 'bought_together',
      score: mean([...owned].map((id) => similarity(id, product.id))),
    }),
  )
  const selling = others.map(
    (product): Scored => ({
      product,
      reason: 'popular',
      score: mean(baskets.map(({ productIds }) => Number(productIds.includes(product.id)))),
    }),
  )
  return withoutRepeats([...byScore(suiting), ...byScore(selling)]).map(toRecommendation)
}

/**
 * The similarity of two products: the cosine of their orders. It is 1 if they are always bought together and 0 if never.
 * A product in every order gets no advantage from that.
 */
export function createSimilarity(baskets: readonly Basket[]): (left: string, right: string) => number {
  const orders = new Map<string, Set<number>>()
  for (const [index, { productIds }] of baskets.entries()) {
    for (const id of productIds) orders.set(id, (orders.get(id) ?? new Set()).add(index))
  }
  return function similarity(left, right) {
    const [ofLeft, ofRight] = [orders.get(left), orders.get(right)]
    if (ofLeft === undefined || ofRight === undefined) return 0
    const shared = [...ofLeft].filter((order) => ofRight.has(order)).length
    return shared / Math.sqrt(ofLeft.size * ofRight.size)
  }
}

/** 1 for the same price, less for a larger difference. */
function closeness(left: RankedProduct, right: RankedProduct): number {
  const [low, high] = [left.priceCents, right.priceCents].toSorted((a, b) => a - b)
  return high === undefined || low === undefined || high === 0 ? 0 : low / high
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

/** Sorts by score, then by id for a stable order. Products without support are left out. */
function byScore(scored: readonly Scored[]): Scored[] {
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score || (left.product.id < right.product.id ? -1 : 1))
}

function withoutRepeats(scored: readonly Scored[]): Scored[] {
  const seen = new Set<string>()
  return scored.filter(({ product: { id } }) => !seen.has(id) && seen.add(id))
}

function toRecommendation({ product, reason, score }: Scored): Recommendation {
  const { id: productId, name, priceCents } = product
  return { productId, name, priceCents, reason, score: Math.round(score * 1000) / 1000 }
}
