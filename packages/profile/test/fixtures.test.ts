import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { bodyShapes } from '../src/body-shapes.ts'
import { checkShape } from '../src/check-shape.ts'
import { type ProfileVersion, profileVersions, type SchemaName } from '../src/index.ts'
import { createBodyValidator } from '../src/validate.ts'

interface FixtureFile {
  readonly schema: SchemaName
  readonly cases: readonly { title: string; valid: boolean; rule?: string; body: unknown }[]
}

const folder = new URL('../fixtures/', import.meta.url)
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
const filesOf = (version: ProfileVersion): FixtureFile[] =>
  readdirSync(new URL(version, folder)).map((name) => readJson(`${version}/${name}`))

describe.each(profileVersions)('the corpus of %s', (version) => {
  const files = filesOf(version)
  const validator = createBodyValidator(version)

  it('has the form its own schema demands', () => {
    const validate = new Ajv2020({ allErrors: true }).compile(readJson('fixture.schema.json'))
    for (const file of files) expect([validate(file), validate.errors]).toEqual([true, null])
  })

  it('has a file for each of the six body shapes', () => {
    expect(files.map((file) => file.schema).sort()).toEqual(Object.keys(bodyShapes).sort())
  })

  it('has at least 120 cases, more than 45 % of them invalid, and no title twice in a file', () => {
    const cases = files.flatMap((file) => file.cases)
    const invalid = cases.filter((one) => !one.valid).length
    expect(cases.length).toBeGreaterThanOrEqual(120)
    expect(invalid / cases.length).toBeGreaterThan(0.45)
    for (const { cases: list } of files) expect(new Set(list.map((one) => one.title)).size).toBe(list.length)
  })

  describe.each(files)('$schema', ({ schema, cases }) => {
    const valid = cases.filter((one) => one.valid)
    const invalid = cases.filter((one) => !one.valid)

    it.each(valid)('accepts: $title', ({ body }) => {
      expect(validator.validateAs(schema, body)).toEqual({ valid: true, errors: [] })
      expect(validator.validate(body)).toEqual({ valid: true, errors: [] })
      expect(checkShape(body, bodyShapes[schema])).toEqual([])
    })

    // Exactly one broken rule, the one it names.
    it.each(invalid)('refuses: $title', ({ body, rule }) => {
      const { errors } = validator.validateAs(schema, body)
      expect(errors.map((error) => `${error.rule} ${error.pointer}`)).toEqual([rule])
      expect(validator.validate(body).valid).toBe(false)
      expect(checkShape(body, bodyShapes[schema]).map((fault) => `${fault.rule} ${fault.pointer}`)).toEqual([
        rule,
      ])
    })
  })

  it.each(Object.keys(bodyShapes) as SchemaName[])(
    'breaks every required and constant rule of %s',
    (name) => {
      const rules = files.find((file) => file.schema === name)?.cases.map((one) => one.rule) ?? []
      for (const [field, shape] of Object.entries(bodyShapes[name].fields)) {
        if (!('optional' in shape)) expect(rules).toContain(`required /${field}`)
        if (shape.kind === 'oneOf')
          expect(rules).toContain(`${shape.values.length === 1 ? 'const' : 'enum'} /${field}`)
      }
    },
  )
})
