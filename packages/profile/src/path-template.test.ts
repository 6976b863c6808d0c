import { expect, test } from 'vitest'
import { fillTemplate, templateParameters, templateShape } from './path-template.ts'

const template = '/campaigns/{campaignId}/steps/{step-id}'

test('parameters are named in order', () => {
  expect(templateParameters(template)).toEqual(['campaignId', 'step-id'])
  expect(templateParameters('/campaigns')).toEqual([])
})

test('values are encoded, and braces in them are no parameters', () => {
  const values: Readonly<Record<string, string>> = { campaignId: '{step-id}', 'step-id': 'a/b $&' }
  expect(fillTemplate(template, (name) => values[name] ?? '')).toBe(
    '/campaigns/%7Bstep-id%7D/steps/a%2Fb%20%24%26',
  )
  expect(fillTemplate(template, (_name, index) => String(index))).toBe('/campaigns/0/steps/1')
})

test('the shape has no names', () => {
  expect(templateShape(template)).toBe('/campaigns/{}/steps/{}')
})
