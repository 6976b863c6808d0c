import type { CapLabels } from './registry.ts'

const TENANT_LABEL = 'tenant_id'
/** The tenant label of series beyond the cap. */
const OTHER_TENANTS = 'other'
const MAX_TENANT_COUNT = 1000
/** Per metric, because a tenant can have a series for every route and outcome. */
const MAX_TENANT_SERIES = 1500

/**
 * Bounds the tenant label (F15): new tenants beyond 1,000, and new series of a metric beyond 1,500, are labelled
 * `other`. A series keeps its label for good, so that a gauge goes down where it went up.
 */
export function createTenantCap(): CapLabels {
  const tenants = new Set<string>()
  const named = new Map<string, Set<string>>()
  return function capTenant({ name, labels: names }, labels) {
    const position = names.indexOf(TENANT_LABEL)
    const tenant = labels[position] ?? ''
    // An empty label means that a request has no tenant.
    if (tenant === '' || tenant === OTHER_TENANTS) return labels
    const series = named.get(name) ?? new Set()
    named.set(name, series)
    const key = JSON.stringify(labels)
    if (series.has(key)) return labels
    const isFull = series.size >= MAX_TENANT_SERIES
    if (isFull || (!tenants.has(tenant) && tenants.size >= MAX_TENANT_COUNT))
      return labels.with(position, OTHER_TENANTS)
    tenants.add(tenant)
    series.add(key)
    return labels
  }
}
