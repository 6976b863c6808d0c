import { expect, test } from 'vitest'
import { suggestParam } from './suggest-params.ts'

const paths = [
  '/campaigns/cmp-2/forecast?days=3',
  '/campaigns/cmp-1',
  '/campaigns/cmp-2',
  '/other/x',
  '/campaigns/%',
]

test('values of requests that passed are suggested once, newest first', () => {
  expect(suggestParam('/campaigns/{campaignId}/optimizations', 'campaignId', paths)).toEqual([
    'cmp-2',
    'cmp-1',
  ])
})

test('what no request had is not suggested', () => {
  expect(suggestParam('/products/{productId}', 'productId', paths)).toEqual([])
  expect(suggestParam('/campaigns/{campaignId}', 'other', paths)).toEqual([])
  expect(suggestParam('/{any}', 'any', paths)).toEqual([])
})
