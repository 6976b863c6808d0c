/** What the process ends with (decision 33). */
export const exitCodes = {
  ok: 0,
  /** Something that was to be started or reached failed; trying again may help. */
  failed: 1,
  /** The file or the command line is wrong; trying again does not help. */
  invalid: 2,
  /** Ended at once by SIGINT, as shells report it: 128 and the number of the signal. */
  interrupted: 130,
} as const

/** How the codes are told in help texts. */
export const exitCodeHelp: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, 'Everything went well.'],
  [exitCodes.failed, 'The start failed, for example because the port is taken.'],
  [exitCodes.invalid, 'The configuration file or the command line is not valid.'],
  [exitCodes.interrupted, 'Ended at once by a second SIGINT.'],
]
