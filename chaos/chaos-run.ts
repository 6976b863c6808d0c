/** How large a run is: numbers by name, each of which is an option of the command line. */
export type Scale = Readonly<Record<string, number>>

/** One number that a run came to, and what it has to be. */
export interface Figure {
  readonly name: string
  readonly measured: number
  readonly unit?: string
  readonly limit: number
  readonly kind: 'at most' | 'at least' | 'exactly'
}

/** What a run gets. */
export interface ChaosContext {
  readonly scale: Scale
  readonly seed: number
  /** A folder of its own, gone when the run is over. */
  readonly folder: string
  /** Progress for whoever watches, one line every few seconds. */
  readonly tell: (line: string) => void
  /** Aborted when somebody wants the run to end early. */
  readonly signal: AbortSignal
}

/** One name of `npm run chaos -- NAME`. */
export interface ChaosRun {
  readonly name: string
  /** One line for `--help`. */
  readonly title: string
  /** The size that CI runs, in a few seconds. */
  readonly short: Scale
  /** The size whose figures count. It has the same names as `short`. */
  readonly full: Scale
  run(context: ChaosContext): Promise<readonly Figure[]>
}

/** Whether a figure is what it has to be; one that is not a number is never. */
export function isReached({ measured, limit, kind }: Figure): boolean {
  switch (kind) {
    case 'at most':
      return measured <= limit
    case 'at least':
      return measured >= limit
    case 'exactly':
      return measured === limit
  }
}

/** A number of the scale; one that the run does not declare is a mistake in the run. */
export function scaled({ scale }: Pick<ChaosContext, 'scale'>, name: string): number {
  const value = scale[name]
  if (value === undefined) throw new Error(`the run has no scale "${name}"`)
  return value
}
