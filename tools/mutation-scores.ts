/** The noticed mutants of a file. */
export interface FileScore {
  readonly file: string
  readonly killed: number
  readonly all: number
  /** In percent. */
  readonly score: number
}

/** The part of Stryker's report that is read. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>
}

const noticed = ['Killed', 'Timeout']
const unnoticed = ['Survived', 'NoCoverage']

/** The score of each file. Mutants that do not run and ignored mutants do not count. */
export function scoresOf({ files }: MutationReport): FileScore[] {
  return Object.entries(files).flatMap(([file, { mutants }]) => {
    const count = (states: readonly string[]) =>
      mutants.filter(({ status }) => states.includes(status)).length
    const killed = count(noticed)
    const all = killed + count(unnoticed)
    return all === 0 ? [] : [{ file, killed, all, score: (100 * killed) / all }]
  })
}
