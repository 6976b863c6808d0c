const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** What is wrong with an RFC 3339 timestamp, if anything. */
export const checkTimestamp = (value: string): string | undefined => {
  const [, year, month, day] = RFC_3339.exec(value) ?? []
  if (year === undefined) return 'must be an RFC 3339 timestamp such as 2027-01-01T00:00:00Z'
  // Date rolls the 30th of February over into March instead of refusing it.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(day) > lastDay ? 'must be a day that exists' : undefined
}
