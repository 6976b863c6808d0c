/** The stateless revision. */
export const MODERN_VERSION = '2026-07-28'

/** The revisions with a handshake, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

/** A revision with a handshake. */
export type LegacyVersion = (typeof legacyVersions)[number]

/** A revision that is spoken here. */
export type ProtocolVersion = typeof MODERN_VERSION | LegacyVersion

/** All revisions, newest first. */
export const protocolVersions: readonly ProtocolVersion[] = [MODERN_VERSION, ...legacyVersions]

/** Whether a text names a revision with a handshake. */
export function isLegacyVersion(text: unknown): text is LegacyVersion {
  return legacyVersions.some((version) => version === text)
}
