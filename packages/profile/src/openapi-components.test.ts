import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openApiComponents } from './openapi-components.ts'
import { outcomes, outcomeTypes, PROFILE_VERSION } from './outcomes.ts'

interface Components {
  headers: Record<string, unknown>
  schemas: Record<string, unknown>
  responses: Record<string, { content: Record<string, { schema: { $ref?: string } }> }>
}

const components = openApiComponents() as unknown as Components

it('has three headers, six schemas and ten responses', () => {
  expect(Object.keys(components.headers)).toEqual(['X-Agentic-Profile', 'X-Correlation-ID', 'X-Request-ID'])
  expect(Object.keys(components.schemas)).toHaveLength(6)
  expect(Object.keys(components.responses)).toEqual([...outcomeTypes])
})

it.each(outcomeTypes)('describes %s with the media type and schema of its row', (type) => {
  const { mediaType, schema } = outcomes[type]
  const expected = schema === null ? {} : { $ref: `#/components/schemas/${schema}` }
  expect(components.responses[type]?.content).toEqual({ [mediaType]: { schema: expected } })
})

it('ships a document in which every reference leads somewhere', () => {
  const file = new URL(`../openapi/${PROFILE_VERSION}.json`, import.meta.url)
  const document = JSON.parse(readFileSync(file, 'utf8'))
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)].map(
    ([, pointer]) => pointer ?? '',
  )
  expect(references).toHaveLength(38)
  for (const pointer of references) expect([pointer, resolve(document, pointer)]).not.toContain(undefined)
})

function resolve(document: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
}
