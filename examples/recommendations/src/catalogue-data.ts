/** A product of the catalogue. */
export interface Product {
  readonly id: string
  readonly name: string
  readonly category: string
  readonly price_cents: number
}

/** One order of a customer. */
export interface Order {
  readonly id: string
  readonly customer_id: string
  readonly product_ids: readonly string[]
}

/** The first data of a tenant. */
export interface FirstData {
  readonly products: readonly Product[]
  readonly customers: readonly string[]
  readonly orders: readonly Order[]
}

type ProductLine = readonly [id: string, name: string, category: string, priceCents: number]
type OrderLine = readonly [customer: string, ...products: readonly string[]]

const acmeProducts: readonly ProductLine[] = [
  ['prd-123', 'Trail camera', 'cameras', 18_900],
  ['prd-124', 'Compact camera', 'cameras', 24_900],
  ['prd-125', 'Action camera', 'cameras', 21_500],
  ['prd-126', 'Memory card', 'accessories', 2_400],
  ['prd-127', 'Tripod', 'accessories', 5_900],
  ['prd-128', 'Rain cover', 'accessories', 1_900],
  ['prd-offline', 'Field microphone', 'audio', 12_900],
  ['prd-multi', 'Power bank', 'accessories', 4_500],
  ['prd-export', 'Thermal imager', 'cameras', 129_000],
]

const acmeOrders: readonly OrderLine[] = [
  ['cus-1', 'prd-123', 'prd-126', 'prd-128'],
  ['cus-1', 'prd-multi'],
  ['cus-2', 'prd-123', 'prd-126'],
  ['cus-2', 'prd-124', 'prd-126', 'prd-127'],
  ['cus-3', 'prd-123', 'prd-126', 'prd-multi'],
  ['cus-3', 'prd-export', 'prd-127'],
  ['cus-4', 'prd-125', 'prd-multi', 'prd-126'],
  ['cus-4', 'prd-offline', 'prd-multi'],
  ['cus-5', 'prd-124', 'prd-127'],
  ['cus-5', 'prd-123', 'prd-128'],
  ['cus-6', 'prd-export', 'prd-multi', 'prd-127'],
  ['cus-6', 'prd-offline', 'prd-128'],
]

const globexProducts: readonly ProductLine[] = [
  ['prd-123', 'Desk lamp', 'lighting', 3_900],
  ['prd-501', 'Floor lamp', 'lighting', 8_900],
  ['prd-multi', 'Bulb, pack of four', 'lighting', 1_200],
]

const globexOrders: readonly OrderLine[] = [
  ['cus-1', 'prd-123', 'prd-multi'],
  ['cus-2', 'prd-501', 'prd-multi'],
]

/** The first catalogue and orders, by tenant. */
export const firstData: ReadonlyMap<string, FirstData> = new Map([
  ['acme', dataOf(acmeProducts, acmeOrders, ['cus-new'])],
  ['globex', dataOf(globexProducts, globexOrders)],
])

function dataOf(
  products: readonly ProductLine[],
  orders: readonly OrderLine[],
  withoutOrders: readonly string[] = [],
): FirstData {
  return {
    products: products.map(([id, name, category, price_cents]) => ({ id, name, category, price_cents })),
    customers: [...new Set(orders.map(([customer]) => customer)), ...withoutOrders],
    orders: orders.map(([customer_id, ...product_ids], index) => ({
      id: `ord-${index + 1}`,
      customer_id,
      product_ids,
    })),
  }
}
