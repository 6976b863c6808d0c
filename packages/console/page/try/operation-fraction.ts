import { fieldsOf, numberOrNull, textOrNull } from '../api/read-json.ts'

/** The completed fraction of a progress value, in common formats. */
export function fractionOf(progress: unknown): number | undefined {
  if (typeof progress === 'number') return clamp(progress > 1 ? progress / 100 : progress)
  const fields = fieldsOf(progress)
  const named = numberOrNull(fields, 'fraction') ?? percentIn(fields)
  if (named !== null) return clamp(named)
  const { done, all } = countIn(fields)
  return done === undefined || !all ? undefined : clamp(done / all)
}

function percentIn(fields: ReadonlyMap<string, unknown>): number | null {
  const percent = numberOrNull(fields, 'percent') ?? numberOrNull(fields, 'percentage')
  return percent === null ? null : percent / 100
}

function firstNumber(fields: ReadonlyMap<string, unknown>, names: readonly string[]): number | undefined {
  return names.map((name) => numberOrNull(fields, name)).find((value) => value !== null) ?? undefined
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** The text of a progress value, if it has words or counts. */
export function progressWords(progress: unknown): string | undefined {
  if (typeof progress === 'string') return progress
  const fields = fieldsOf(progress)
  const named = ['message', 'stage', 'phase', 'note', 'step'].map((name) => textOrNull(fields, name))
  return named.find((text) => text !== null) ?? countWords(fields)
}

function countWords(fields: ReadonlyMap<string, unknown>): string | undefined {
  const { done, all } = countIn(fields)
  return done === undefined || all === undefined ? undefined : `${done} of ${all}`
}

function countIn(fields: ReadonlyMap<string, unknown>) {
  return {
    done: firstNumber(fields, ['done', 'completed', 'step', 'current']),
    all: firstNumber(fields, ['of', 'total', 'steps']),
  }
}
