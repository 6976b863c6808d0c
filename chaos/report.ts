import { markdownTable } from '../tools/generated.ts'
import { type Figure, isReached } from './chaos-run.ts'

/** A stored run. */
export interface ChaosResult {
  readonly name: string
  readonly command: string
  readonly seed: number
  readonly date: string
  readonly commit: string
  readonly durationSeconds: number
  readonly scale: Readonly<Record<string, number>>
  readonly figures: readonly (Figure & { readonly reached: boolean })[]
}

/** Adds the judgement to each figure. */
export function judged(figures: readonly Figure[]): ChaosResult['figures'] {
  return figures.map((figure) => ({ ...figure, reached: isReached(figure) }))
}

/** The report of a run as Markdown. */
export function reportOf(result: ChaosResult): string {
  const { name, command, seed, date, commit, durationSeconds, figures } = result
  const rows = figures.map(({ name: figure, measured, unit, kind, limit, reached }) => [
    figure,
    quantity(measured, unit),
    `${kind} ${quantity(limit, unit)}`,
    reached ? 'yes' : '**no**',
  ])
  return [
    `**${name}**: \`${command}\`, seed ${seed}, ${date}, commit ${commit}, ${durationSeconds.toFixed(1)} s`,
    `${markdownTable(['Figure', 'Measured', 'Limit', 'Reached'], rows)}\n`,
  ].join('\n\n')
}

function quantity(value: number, unit: string | undefined): string {
  const text = value.toLocaleString('en', { maximumFractionDigits: 2 })
  return unit === undefined ? text : `${text} ${unit}`
}
