/** The size of a run: numbers by name, each an option of the command line. */
export type Scale = Readonly<Record<string, number>>

/** One result of a run with its limit. */
export interface Figure {
  readonly name: string
  readonly measured: number
  readonly unit?: string
  readonly limit: number
  readonly kind: 'at most' | 'at least' | 'exactly'
}

/** The context of a run. */
export interface ChaosContext {
  readonly scale: Scale
  readonly seed: number
  /** A temporary folder of this run. */
  readonly folder: string
  /** Prints progress, one line every few seconds. */
  readonly tell: (line: string) => void
  /** Aborted to end the run early. */
  readonly signal: AbortSignal
}

/** One run of `npm run chaos -- NAME`. */
export interface ChaosRun {
  readonly name: string
  /** One line for `--help`. */
  readonly title: string
  /** The size for CI, a few seconds. */
  readonly short: Scale
  /** The size for published figures. It has the same names as `short`. */
  readonly full: Scale
  run(context: ChaosContext): Promise<readonly Figure[]>
}

/** Whether a figure keeps its limit. NaN never does. */
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

/** A number of the scale. An undeclared name is a mistake in the run. */
export function scaled({ scale }: Pick<ChaosContext, 'scale'>, name: string): number {
  const value = scale[name]
  if (value === undefined) throw new Error(`the run has no scale "${name}"`)
  return value
}
