/** How many tenants a label names. */
const MAX_TENANT_COUNT = 1000
/** How many series of one metric name a tenant: each tenant can have as many as there are routes and outcomes. */
const MAX_TENANT_SERIES = 1500

/** Gives the tenant label of a series whose other labels are those given: the tenant, or `other`. */
export type TenantLabel = (tenant: string, otherLabels: string) => string

/**
 * Keeps the tenant label from growing without bound: beyond so many tenants of a gateway, or so many series of one of
 * its metrics, what is new is `other` (F15). What was named once is named always, so that a gauge goes down where it went up.
 */
export function createTenantCap(): () => TenantLabel {
  const tenants = new Set<string>()
  return function capMetric() {
    const series = new Set<string>()
    return function labelTenant(tenant, otherLabels) {
      // No tenant is not a tenant.
      if (tenant === '') return tenant
      const key = `${tenant}\n${otherLabels}`
      if (series.has(key)) return tenant
      const hasRoom = tenants.has(tenant) || tenants.size < MAX_TENANT_COUNT
      if (!hasRoom || series.size >= MAX_TENANT_SERIES) return 'other'
      tenants.add(tenant)
      series.add(key)
      return tenant
    }
  }
}
