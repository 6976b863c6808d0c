import { readFileSync } from 'node:fs'
import type { BuiltinRule } from '../../../../src/config/config-schema.ts'
import {
  compileRules,
  detectors,
  readSubject,
} from '../../../../src/plugins/prompt-sanitize/compile-rules.ts'
import { createViewReader } from '../../../../src/plugins/prompt-sanitize/readable-view.ts'
import type { Span } from '../../../../src/plugins/prompt-sanitize/text-view.ts'

/** One text of the corpus and its values. */
export interface Sample {
  readonly text: string
  /** The values as written in the text; none for a look-alike. */
  readonly values: readonly string[]
  /** The key of the text. */
  readonly hint?: string
  readonly note?: string
  /** Why the detector does not find the value: a documented miss. */
  readonly miss?: string
  /** Why the detector finds a value where there is none: a documented false alarm. */
  readonly alarm?: string
}

/** The result of a detector for one sample. */
export interface SampleScore {
  readonly sample: Sample
  readonly found: number
  readonly missed: number
  readonly falseAlarms: number
}

/** The result of a detector for its samples. */
export interface DetectorScore {
  readonly detector: BuiltinRule
  readonly samples: readonly SampleScore[]
  readonly found: number
  readonly missed: number
  readonly falseAlarms: number
  readonly precision: number
  readonly recall: number
}

/** The detectors, in the order of the documentation. */
export const detectorNames = Object.keys(detectors) as readonly BuiltinRule[]

/** The samples of a detector. */
export function readSamples(detector: BuiltinRule): readonly Sample[] {
  const file = new URL(`${detector}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).samples
}

/** Runs a detector over its samples. A value counts as found when all of it would be redacted. */
export function scoreDetector(detector: BuiltinRule): DetectorScore {
  const read = createViewReader()
  const [rule] = compileRules([{ name: detector, builtin: detector, action: 'redact' }], read)
  if (rule === undefined) throw new Error('one rule compiles to one rule')
  const samples = readSamples(detector).map((sample) =>
    scoreSample(sample, rule.find(readSubject(sample.text, sample.hint ?? '', read))),
  )
  const sum = (key: 'found' | 'missed' | 'falseAlarms') => samples.reduce((all, score) => all + score[key], 0)
  const [found, missed, falseAlarms] = [sum('found'), sum('missed'), sum('falseAlarms')]
  const precision = found / (found + falseAlarms)
  return { detector, samples, found, missed, falseAlarms, precision, recall: found / (found + missed) }
}

function scoreSample(sample: Sample, spans: readonly Span[]): SampleScore {
  const places = sample.values.map((value) => placeOf(sample.text, value))
  const found = places.filter((place) => isCovered(place, spans)).length
  const falseAlarms = spans.filter((span) => !places.some((place) => overlap(span, place))).length
  return { sample, found, missed: places.length - found, falseAlarms }
}

function placeOf(text: string, value: string): Span {
  const start = text.indexOf(value)
  return { start, end: start + value.length }
}

function isCovered({ start, end }: Span, spans: readonly Span[]): boolean {
  for (let index = start; index < end; index++) {
    if (!spans.some((span) => span.start <= index && index < span.end)) return false
  }
  return true
}

function overlap(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end
}

/** The table of `docs/plugins/prompt-sanitize.md`, section `sanitize-figures`. */
export function sanitizeFigures(): string {
  const rows = detectorNames.map((name) => figuresRow(scoreDetector(name)))
  return [
    '| Detector | Samples | Values | Found | False alarms | Precision | Recall |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

function figuresRow({
  detector,
  samples,
  found,
  missed,
  falseAlarms,
  precision,
  recall,
}: DetectorScore): string {
  const cells = [
    `\`${detector}\``,
    samples.length,
    found + missed,
    found,
    falseAlarms,
    precision.toFixed(3),
    recall.toFixed(3),
  ]
  return `| ${cells.join(' | ')} |`
}

/** The table of known misses and false alarms on the same page, section `sanitize-misses`. */
export function sanitizeMisses(): string {
  const rows = detectorNames.flatMap((name) => {
    const samples = readSamples(name)
    const misses = reasons(samples.map(({ miss }) => miss))
    const alarms = reasons(samples.map(({ alarm }) => alarm))
    return [`| \`${name}\` | ${misses} | ${alarms} |`]
  })
  return ['| Detector | Missed | False alarms |', '| --- | --- | --- |', ...rows].join('\n')
}

function reasons(all: readonly (string | undefined)[]): string {
  return [...new Set(all)].filter((reason) => reason !== undefined).join('; ')
}
