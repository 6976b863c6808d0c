import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  detectorNames,
  readSamples,
  sanitizeFigures,
  sanitizeMisses,
  scoreDetector,
} from './corpus/figures.ts'

const page = readFileSync(new URL('../../../../../docs/plugins/prompt-sanitize.md', import.meta.url), 'utf8')

test('the corpus has more than 400 samples, values and look-alikes for every detector', () => {
  const counts = detectorNames.map((name) => {
    const samples = readSamples(name)
    const lookAlikes = samples.filter(({ values }) => values.length === 0).length
    return { name, values: samples.length - lookAlikes, lookAlikes }
  })
  for (const { values, lookAlikes } of counts) {
    expect(values).toBeGreaterThanOrEqual(40)
    expect(lookAlikes).toBeGreaterThanOrEqual(20)
  }
  expect(counts.reduce((all, { values, lookAlikes }) => all + values + lookAlikes, 0)).toBeGreaterThan(700)
})

describe.each(detectorNames)('%s', (name) => {
  const score = scoreDetector(name)

  test.each(score.samples.map((entry) => [entry.sample.text.slice(0, 60), entry] as const))(
    '%j',
    (_text, entry) => {
      const { sample, missed, falseAlarms } = entry
      expect({ missed: missed > 0, alarmed: falseAlarms > 0 }).toEqual({
        missed: sample.miss !== undefined,
        alarmed: sample.alarm !== undefined,
      })
    },
  )

  test('every value of a sample stands in its text, once', () => {
    for (const { sample } of score.samples) {
      for (const value of sample.values) expect(sample.text.split(value)).toHaveLength(2)
    }
  })

  test('precision and recall are those of the documentation', () => {
    const row = new RegExp(`^\\| \`${name}\` \\|.*\\| ([0-9.]+) \\| ([0-9.]+) \\|$`, 'm').exec(page)
    expect(row?.slice(1)).toEqual([score.precision.toFixed(3), score.recall.toFixed(3)])
    expect(score.precision).toBeGreaterThan(0.95)
    expect(score.recall).toBeGreaterThan(0.85)
  })
})

test('the documentation shows the generated tables', () => {
  expect(page).toContain(sanitizeFigures())
  expect(page).toContain(sanitizeMisses())
})
