import { expect, it } from 'vitest'
import { openApiComponents } from './openapi-components.ts'
import { outcomes, outcomeTypes } from './outcomes.ts'

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

it('refers only to components that exist', () => {
  for (const [, ref] of JSON.stringify(components).matchAll(/"#\/components\/([^"]+)"/g)) {
    const [kind = '', name = ''] = (ref ?? '').split('/')
    expect(Object.keys(components[kind as keyof Components])).toContain(name)
  }
})
