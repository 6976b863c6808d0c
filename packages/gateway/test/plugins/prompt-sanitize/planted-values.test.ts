import fc from 'fast-check'
import { expect, test } from 'vitest'
import { disguises, document, hasPlants, leaf, PLANTED, plants, rules, traces } from './planted-documents.ts'
import { createSanitizer } from './sanitizing.ts'

const seed = Number(process.env['SEED'])

test(`no planted value is left, wherever it stands and however it is written (seed ${seed})`, async () => {
  const sanitizer = createSanitizer(rules)
  await fc.assert(
    fc.asyncProperty(document, async ({ text, shape }) => {
      const { answer, forwarded } = await sanitizer.treat(text)
      expect(answer).toBeUndefined()
      expect(traces(forwarded)).toEqual([])
      JSON.parse(forwarded)
      if (!hasPlants(shape)) expect(forwarded).toBe(text)
    }),
    { seed, numRuns: 1500 },
  )
})

test(`everything that was not planted stays equal (seed ${seed})`, async () => {
  const sanitizer = createSanitizer(rules)
  await fc.assert(
    fc.asyncProperty(fc.array(leaf, { minLength: 1, maxLength: 8 }), async (leaves) => {
      const { forwarded } = await sanitizer.treat(
        `{${leaves.map(({ text }, n) => `"k${n}":${text}`).join(',\n')}}`,
      )
      const parts = forwarded.slice(1, -1).split(/,\n(?="k[0-9]+":)/)
      const treated = parts.map((part) => part.slice(part.indexOf(':') + 1))
      expect(treated).toHaveLength(leaves.length)
      for (const [n, { text, shape }] of leaves.entries()) {
        if (shape === PLANTED) expect(treated[n]).not.toBe(text)
        else expect(treated[n]).toBe(text)
      }
    }),
    { seed, numRuns: 1500 },
  )
})

test.each(plants)(
  '%s is found at every split and in every disguise, as text, form, key and value',
  async (value) => {
    const sanitizer = createSanitizer(rules)
    for (const [name, write] of Object.entries(disguises)) {
      for (let at = 1; at < value.length; at++) {
        const written = write(value, at)
        const bodies = [
          [JSON.stringify([written]), 'application/json'],
          [JSON.stringify({ [written]: 1 }), 'application/json'],
          [JSON.stringify({ k: JSON.stringify({ k: written }) }), 'application/json'],
          [`z ${written} z`, 'text/plain'],
          [`k=${encodeURIComponent(written)}`, 'application/x-www-form-urlencoded'],
        ] as const
        for (const [body, type] of bodies) {
          const { answer, forwarded } = await sanitizer.treat(body, { type })
          expect({ answer, name, at, traces: traces(forwarded) }).toEqual({
            answer: undefined,
            name,
            at,
            traces: [],
          })
          expect(forwarded).toMatch(/REDACTED|ticket/)
        }
      }
    }
  },
)
