import type { StreamSlots } from '../slots/stream-slots.ts'
import type { Reloading } from './reload.ts'
import type { Snapshot } from './snapshot.ts'

/** Why a gateway is less than ready without being unready. Anyone can read it, so it names no file and no key. */
export function degradedReasons(
  { plugins, config }: Snapshot,
  { last }: Reloading,
  slots: StreamSlots,
): string[] {
  const reasons = last?.result === 'refused' ? ['configuration: the last reload was refused'] : []
  if (config.gateway.shared !== undefined && slots.scope() === 'local')
    reasons.push('shared limits: the store is out of reach, this gateway keeps the stream limit for itself')
  for (const { name, degraded } of plugins) {
    const reason = degraded?.()
    if (reason !== undefined) reasons.push(`${name}: ${reason}`)
  }
  return reasons
}
