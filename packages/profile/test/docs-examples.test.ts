import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  conditions,
  headers,
  type OutcomeType,
  outcomes,
  outcomeTypes,
  readOutcome,
  VENDOR_PREFIX,
} from '../src/index.ts'
import { createBodyValidator } from '../src/validate.ts'

const pages = ['docs/profile.md', 'packages/profile/README.md'] as const
const readPage = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const profilePage = readPage('docs/profile.md')

interface Example {
  readonly place: string
  readonly text: string
}

function jsonBlocks(page: string, place: string): Example[] {
  return [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(({ 1: text = '', index }) => ({
    place: `${place}:${page.slice(0, index).split('\n').length}`,
    text,
  }))
}

/** The part of the page under one heading, up to the next one. */
function sectionOf(heading: string): string {
  const start = profilePage.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`docs/profile.md has no heading ${heading}`)
  const rest = profilePage.slice(start + heading.length + 2)
  const end = rest.search(/^#{2,3} /m)
  return end === -1 ? rest : rest.slice(0, end)
}

/** Cells of the first column of a table, without their backquotes, to those of the second. */
function tableOf(section: string): Record<string, string> {
  return Object.fromEntries(
    [...section.matchAll(/^\| `([^`|]+)` \| ([^|]*?) \|/gm)].map(([, first = '', second = '']) => [
      first,
      second,
    ]),
  )
}

const examples = pages.flatMap((path) => jsonBlocks(readPage(path), path))
const validator = createBodyValidator()
const bodyTypes = new Set(['operation_accepted', ...outcomeTypes])

function vendorType(body: unknown): string | undefined {
  const type = (body as { type?: unknown } | null)?.type
  return typeof type === 'string' && bodyTypes.has(type) ? type : undefined
}

describe('JSON on the pages about the profile', () => {
  it('is there', () => {
    expect(examples.length).toBeGreaterThanOrEqual(outcomeTypes.length)
  })

  it.each(examples)('$place is JSON, and valid where it has a type of the profile', ({ text }) => {
    const body: unknown = JSON.parse(text)
    expect(body).toBeTypeOf('object')
    if (vendorType(body) !== undefined) expect(validator.validate(body)).toEqual({ valid: true, errors: [] })
  })
})

describe.each(outcomeTypes)('the section of %s', (type: OutcomeType) => {
  it('has one example, which reads as that outcome', () => {
    const [example, ...others] = jsonBlocks(sectionOf(`### \`${type}\``), type)
    const { status, mediaType } = outcomes[type]
    const body = example?.text ?? ''
    const reading = readOutcome({ status, headers: { [headers.contentType]: mediaType }, body })
    expect(reading).toMatchObject({ ok: true, outcome: { type }, trace: { correlationId: 'order-17' } })
    expect(others).toEqual([])
  })
})

describe('the tables written by hand', () => {
  it('list the conditions of the code', () => {
    const expected = Object.entries(conditions).map(([name, status]) => [name, String(status)])
    expect(tableOf(sectionOf('## Conditions outside the ten'))).toEqual(Object.fromEntries(expected))
  })

  it('list the headers of the code', () => {
    const listed = Object.keys(tableOf(sectionOf('## Headers')))
    expect(listed.toSorted()).toEqual(Object.values(headers).toSorted())
  })

  it('show a limit that reads as one', () => {
    const [example] = jsonBlocks(sectionOf('## Conditions outside the ten'), 'conditions')
    const reading = readOutcome({
      status: conditions.limit_exceeded,
      headers: { [headers.contentType]: `${VENDOR_PREFIX}error+json` },
      body: example?.text ?? '',
    })
    expect(reading).toMatchObject({ ok: true, outcome: { condition: 'limit_exceeded', retryAfter: 60 } })
  })
})
