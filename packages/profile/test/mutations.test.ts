import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyShapes } from '../src/body-shapes.ts'
import { checkShape } from '../src/check-shape.ts'
import { outcomes, outcomeTypes, readOutcome, writeOutcome } from '../src/index.ts'
import { createBodyValidator } from '../src/validate.ts'
import { outcomeArbitraries, traces } from './arbitrary-outcomes.ts'

const validator = createBodyValidator()
const vendorTypes = outcomeTypes.filter((type) => outcomes[type].schema !== null)

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Every place of a document, except inside `allowedValues`, where the profile allows anything. */
function pathsOf(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null || path.at(-1) === 'allowedValues') return [path]
  const children = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...children.flatMap(([key, child]) => pathsOf(child, [...path, key]))]
}

type Holder = Record<string | number, Json>

function edit(
  body: Json,
  path: (string | number)[],
  change: (holder: Holder, key: string | number) => void,
): Json {
  const root: Holder = { body: structuredClone(body) }
  const full = ['body', ...path]
  const holder = full.slice(0, -1).reduce<Holder>((at, key) => at[key] as Holder, root)
  change(holder, full.at(-1) ?? 'body')
  return root['body'] ?? null
}

/** One change at one place. Whether it breaks a rule is judged by Ajv and the published schema. */
const mutation = fc.record({
  where: fc.nat(),
  kind: fc.constantFrom('replace', 'remove', 'add', 'empty'),
  value: fc.jsonValue() as fc.Arbitrary<Json>,
})

function mutate(body: Json, { where, kind, value }: { where: number; kind: string; value: Json }): Json {
  const paths = pathsOf(body)
  const path = paths[where % paths.length] ?? []
  return edit(body, path, (holder, key) => {
    const target = holder[key]
    if (kind === 'remove' && Array.isArray(holder)) holder.splice(Number(key), 1)
    else if (kind === 'remove' && path.length > 0) delete holder[key]
    else if (kind === 'add' && typeof target === 'object' && target !== null && !Array.isArray(target))
      holder[key] = { ...target, [`x${where}`]: value }
    else if (kind === 'empty') holder[key] = Array.isArray(target) ? [] : ''
    else holder[key] = value
  })
}

describe.each(vendorTypes)('a mutated body of %s', (type) => {
  it('has the same faults by the decoder as by the published schema, and is refused for them', () => {
    let refused = 0
    fc.assert(
      fc.property(outcomeArbitraries[type], traces, mutation, (outcome, trace, change) => {
        const written = writeOutcome(outcome, trace)
        const body = mutate(JSON.parse(written.body), change)
        const name = outcomes[type].schema
        if (name === null) throw new Error('only vendor-typed outcomes are mutated here')
        const { valid, errors } = validator.validateAs(name, body)
        const faults = checkShape(body, bodyShapes[name])
        const key = (fault: { rule: string; pointer: string }) => `${fault.rule} ${fault.pointer}`
        expect(faults.map(key).sort()).toEqual(errors.map(key).sort())
        expect(faults.map((fault) => fault.message).sort()).toEqual(
          errors.map((error) => error.message).sort(),
        )
        const reading = readOutcome({ ...written, body: JSON.stringify(body) })
        if (!valid) {
          refused += 1
          expect(reading.ok).toBe(false)
        }
      }),
      { numRuns: 400 },
    )
    expect(refused).toBeGreaterThan(100)
  })
})
