import type { Reloading } from './reload/reload.ts'
import type { Snapshot } from './snapshot.ts'

/** Why a gateway is less than ready without being unready. Anyone can read it, so it names no file and no key. */
export function degradedReasons({ pipeline }: Snapshot, { last }: Reloading): string[] {
  const reasons = last?.result === 'refused' ? ['configuration: the last reload was refused'] : []
  for (const { name, degraded } of pipeline.plugins) {
    const reason = degraded?.()
    if (reason !== undefined) reasons.push(`${name}: ${reason}`)
  }
  return reasons
}
