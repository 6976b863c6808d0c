/** A warehouse with its own system. */
export interface Warehouse {
  readonly tenant: string
  readonly id: string
  readonly city: string
  /** Whether its system answers. */
  readonly online: boolean
}

/** A product, independent of its warehouses. */
export interface Product {
  readonly tenant: string
  readonly id: string
  readonly export_controlled: boolean
}

/** The stock of a product in one warehouse. */
export interface StockLine {
  readonly tenant: string
  readonly product_id: string
  readonly warehouse_id: string
  readonly on_hand: number
  readonly reserved: number
}

/** The first data. `prd-offline`, `prd-multi` and `prd-export` each show one outcome. */
export const warehouses: readonly Warehouse[] = [
  { tenant: 'acme', id: 'wh-berlin', city: 'Berlin', online: true },
  { tenant: 'acme', id: 'wh-rotterdam', city: 'Rotterdam', online: true },
  { tenant: 'acme', id: 'wh-turin', city: 'Turin', online: false },
  { tenant: 'globex', id: 'wh-austin', city: 'Austin', online: true },
  { tenant: 'globex', id: 'wh-reno', city: 'Reno', online: true },
]

type Place = readonly [warehouse: string, onHand: number, reserved: number]

const acme: Readonly<Record<string, readonly Place[]>> = {
  'prd-123': [['wh-berlin', 64, 22]],
  'prd-124': [['wh-berlin', 18, 3]],
  'prd-125': [['wh-rotterdam', 7, 7]],
  'prd-126': [['wh-rotterdam', 240, 12]],
  'prd-127': [['wh-berlin', 95, 40]],
  'prd-128': [['wh-berlin', 31, 0]],
  'prd-offline': [['wh-turin', 12, 0]],
  'prd-multi': [
    ['wh-berlin', 9, 4],
    ['wh-rotterdam', 130, 25],
  ],
  'prd-export': [['wh-rotterdam', 6, 1]],
}

const globex: Readonly<Record<string, readonly Place[]>> = {
  'prd-123': [['wh-austin', 410, 160]],
  'prd-501': [['wh-austin', 52, 2]],
  'prd-multi': [
    ['wh-austin', 3, 0],
    ['wh-reno', 21, 6],
  ],
}

const controlled: ReadonlySet<string> = new Set(['prd-export'])
const stored = { acme, globex }

/** Every product. */
export const products: readonly Product[] = Object.entries(stored).flatMap(([tenant, own]) =>
  Object.keys(own).map((id) => ({ tenant, id, export_controlled: controlled.has(id) })),
)

/** The stock of every product in every warehouse. */
export const stockLines: readonly StockLine[] = Object.entries(stored).flatMap(([tenant, own]) =>
  Object.entries(own).flatMap(([product_id, places]) =>
    places.map(([warehouse_id, on_hand, reserved]) => ({
      tenant,
      product_id,
      warehouse_id,
      on_hand,
      reserved,
    })),
  ),
)
