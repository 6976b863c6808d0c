/** Whether a wildcard of an `Accept` header counts as the media type. */
export interface AcceptOptions {
  readonly wildcards?: boolean
}

/** Whether an `Accept` header names a media type; one with the weight zero is refused (RFC 9110, section 12.5.1). */
export function acceptsType(
  accept: string | undefined,
  essence: string,
  { wildcards = false }: AcceptOptions = {},
): boolean {
  if (accept === undefined) return false
  const lowered = accept.toLowerCase()
  // Most requests accept anything and name nothing.
  if (!wildcards && !lowered.includes(essence)) return false
  const ranges = lowered.split(',').map((range) => range.split(';').map((part) => part.trim()))
  const wanted = wildcards ? [essence, `${essence.split('/', 1)[0]}/*`, '*/*'] : [essence]
  // The most specific range decides, also when it refuses what a wildcard would accept.
  const named = wanted
    .map((type) => ranges.filter((range) => range[0] === type))
    .find(({ length }) => length > 0)
  return named?.some((range) => !range.some((parameter) => NEVER.test(parameter))) ?? false
}

const NEVER = /^q=0(?:\.0{0,3})?$/
