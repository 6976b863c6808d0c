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

/** An exit code and what it means. */
export type ExitCodeRow = readonly [code: number, meaning: string]

/** How the codes are told in help texts. */
export const exitCodeHelp: readonly ExitCodeRow[] = [
  [exitCodes.ok, 'Everything went well.'],
  [exitCodes.failed, 'It did not work out, for example because a port is taken; trying again may help.'],
  [exitCodes.invalid, 'A file or the command line is not valid; trying again does not help.'],
  [exitCodes.interrupted, 'Ended at once by Ctrl-C.'],
]
