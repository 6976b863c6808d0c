import { expect, test } from 'vitest'
import { placeHash, readPlace, titleOf, views } from './place.ts'

test.each(views)('the address of %s leads back to it', (view) => {
  const place = { view, item: 'a b/c?d#e%' }
  expect(readPlace(placeHash(place))).toEqual({ ...place, query: '' })
  expect(readPlace(placeHash({ view, item: '' }))).toEqual({ view, item: '', query: '' })
  const filtered = { ...place, query: 'text=a%3Fb&route=c' }
  expect(readPlace(placeHash(filtered))).toEqual(filtered)
})

test.each(['', '#', '#/', '#/nowhere', '#live', '#/constructor'])('%j is Live', (hash) => {
  expect(readPlace(hash).view).toBe('Live')
})

test('an address typed by hand is taken as it is', () => {
  expect(readPlace('#/timeline/100%')).toMatchObject({ view: 'Timeline', item: '100%' })
  expect(readPlace('#/TIMELINE/c-1')).toMatchObject({ view: 'Timeline', item: 'c-1' })
})

test('filters follow a question mark', () => {
  expect(readPlace('#/live?text=a?b')).toEqual({ view: 'Live', item: '', query: 'text=a?b' })
  expect(readPlace('#/live?')).toEqual({ view: 'Live', item: '', query: '' })
})

test('each place has a title of its own', () => {
  expect(titleOf({ view: 'Live', item: '' })).toBe('Live · Agentic REST console')
  expect(titleOf({ view: 'Timeline', item: 'c-1' })).toBe('Timeline: c-1 · Agentic REST console')
})
