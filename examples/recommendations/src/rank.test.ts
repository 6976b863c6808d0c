import { describe, expect, test } from 'vitest'
import { type Basket, createSimilarity, rankForCustomer, rankForProduct } from './rank.ts'

const product = (id: string, category = 'c', priceCents = 100) => ({ id, name: id, category, priceCents })
const catalogue = (...products: ReturnType<typeof product>[]) =>
  new Map(products.map((each) => [each.id, each]))
// The cosine for one shared order out of one and two orders.
const halfRoot = Math.round(1000 * Math.SQRT1_2) / 1000
const basket = (customerId: string, ...productIds: string[]): Basket => ({ customerId, productIds })

describe('createSimilarity', () => {
  test('is 1 for what is always bought together, 0 for what never is, and the cosine in between', () => {
    const similarity = createSimilarity([basket('x', 'a', 'b', 'd'), basket('y', 'a', 'b'), basket('z', 'c')])
    expect(similarity('a', 'b')).toBeCloseTo(1)
    expect(similarity('a', 'c')).toBe(0)
    expect(similarity('a', 'd')).toBeCloseTo(1 / Math.sqrt(2))
    expect(similarity('a', 'unknown')).toBe(0)
  })
})

describe('rankForProduct', () => {
  const products = catalogue(
    product('a'),
    product('b', 'other'),
    product('c', 'c', 50),
    product('d', 'c', 90),
  )
  const data = { products, baskets: [basket('x', 'a', 'b'), basket('y', 'a', 'c')] }
  const rank = (isAvailable: boolean) => rankForProduct(product('a'), data, isAvailable)

  test('puts what was bought together first, each product once', () => {
    expect(rank(true).map(({ productId, reason }) => [productId, reason])).toEqual([
      ['b', 'bought_together'],
      ['c', 'bought_together'],
      ['d', 'same_category'],
    ])
  })

  test('puts what is like it first when there is none, the nearest price before others', () => {
    expect(rank(false).map(({ productId, reason, score }) => [productId, reason, score])).toEqual([
      ['d', 'same_category', 0.9],
      ['c', 'same_category', 0.5],
      ['b', 'bought_together', halfRoot],
    ])
  })

  test('follows the data: one more order changes the score as computed by hand', () => {
    const [before] = rankForProduct(product('a'), data, true)
    const baskets = [...data.baskets, basket('z', 'a', 'b')]
    const [after] = rankForProduct(product('a'), { products, baskets }, true)
    expect([before?.score, after?.score]).toEqual([halfRoot, Math.round(2000 / Math.sqrt(6)) / 1000])
  })

  test('has nothing to say where nothing was bought and nothing is alike', () => {
    const alone = { products: catalogue(product('a'), product('b', 'other')), baskets: [] }
    expect(rankForProduct(product('a'), alone, true)).toEqual([])
  })

  test('does not depend on the order of the data', () => {
    const turned = { products: new Map([...products].reverse()), baskets: [...data.baskets].reverse() }
    expect(rankForProduct(product('a'), turned, true)).toEqual(rank(true))
  })
})

describe('rankForCustomer', () => {
  const products = catalogue(product('a'), product('b'), product('c'))
  const baskets = [basket('x', 'a'), basket('y', 'a', 'b'), basket('z', 'c')]

  test('leaves out what the customer has, and takes the mean over all of it', () => {
    expect(rankForCustomer('x', { products, baskets })).toEqual([
      { productId: 'b', name: 'b', priceCents: 100, reason: 'bought_together', score: halfRoot },
      { productId: 'c', name: 'c', priceCents: 100, reason: 'popular', score: 0.333 },
    ])
  })

  test('gives a new customer what sells', () => {
    expect(
      rankForCustomer('new', { products, baskets }).map(({ productId, score }) => [productId, score]),
    ).toEqual([
      ['a', 0.667],
      ['b', 0.333],
      ['c', 0.333],
    ])
  })
})
