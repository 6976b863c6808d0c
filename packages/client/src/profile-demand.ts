/** A profile version, as in the header. */
export type ProfileVersionText = `v${number}.${number}`

/** The accepted versions: a list, or the first and the last of a range. */
export type ProfileDemand =
  | readonly ProfileVersionText[]
  | { readonly min?: ProfileVersionText; readonly max?: ProfileVersionText }

/** Whether the version of an answer is accepted. An answer without a version is not. */
export type MeetsDemand = (version: string | undefined) => boolean

/** Compiles the accepted versions. By default every answer is accepted, also one without a version. */
export function compileDemand(demand: ProfileDemand | undefined): MeetsDemand {
  if (demand === undefined) return () => true
  if (isList(demand)) {
    const listed = new Set(demand.map(rank))
    return (version) => readable(version) && listed.has(rank(version))
  }
  const min = demand.min === undefined ? 0 : rank(demand.min)
  const max = demand.max === undefined ? Number.POSITIVE_INFINITY : rank(demand.max)
  return (version) => readable(version) && rank(version) >= min && rank(version) <= max
}

/** The accepted versions as text. */
export function describeDemand(demand: ProfileDemand | undefined): string {
  if (demand === undefined) return 'any'
  if (isList(demand)) return demand.join(', ')
  return `${demand.min ?? 'any'} to ${demand.max ?? 'any'}`
}

const VERSION = /^v(\d{1,6})\.(\d{1,6})$/

function readable(version: string | undefined): version is string {
  return version !== undefined && VERSION.test(version)
}

// Compared as numbers: v0.10 comes after v0.9.
function rank(version: string): number {
  const [, major, minor] = VERSION.exec(version) ?? []
  if (major === undefined) throw new TypeError(`"${version}" is not a profile version such as v0.3`)
  return Number(major) * 1_000_000 + Number(minor)
}

function isList(demand: ProfileDemand): demand is readonly ProfileVersionText[] {
  return Array.isArray(demand)
}
