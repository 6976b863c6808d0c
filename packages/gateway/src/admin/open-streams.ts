import type { GatewayConfig } from '../config/config-schema.ts'
import type { Load } from '../lifetime/load.ts'
import type { TenantStreams } from './feed.ts'

const MAX_TENANTS = 100

/** The open streams of each tenant, those with most first. It is counted when it is asked for, and costs nothing before. */
export function openStreams({ active }: Load, { gateway }: GatewayConfig): readonly TenantStreams[] {
  const counts = new Map<string, number>()
  for (const { slot, tenantId = '' } of active)
    if (slot === 'taken') counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
  const limit = gateway.llm.max_sse_connections_per_tenant
  return [...counts]
    .map(([tenant, open]) => ({ tenant, open, limit }))
    .toSorted((a, b) => b.open - a.open)
    .slice(0, MAX_TENANTS)
}
