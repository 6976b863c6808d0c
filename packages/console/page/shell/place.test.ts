import { expect, test } from 'vitest'
import { placeHash, readPlace, titleOf, views } from './place.ts'

test.each(views)('the address of %s leads back to it', (view) => {
  const place = { view, item: 'a b/c?d#e%' }
  expect(readPlace(placeHash(place))).toEqual(place)
  expect(readPlace(placeHash({ view, item: '' }))).toEqual({ view, item: '' })
})

test.each(['', '#', '#/', '#/nowhere', '#live', '#/constructor'])('%j is Live', (hash) => {
  expect(readPlace(hash).view).toBe('Live')
})

test('an address typed by hand is taken as it is', () => {
  expect(readPlace('#/timeline/100%')).toEqual({ view: 'Timeline', item: '100%' })
  expect(readPlace('#/TIMELINE/c-1')).toEqual({ view: 'Timeline', item: 'c-1' })
})

test('each place has a title of its own', () => {
  expect(titleOf({ view: 'Live', item: '' })).toBe('Live · Agentic REST console')
  expect(titleOf({ view: 'Timeline', item: 'c-1' })).toBe('Timeline: c-1 · Agentic REST console')
})
