import { expect, test } from 'vitest'
import { createReloadRound } from './reload-round.ts'

test('all agree when nothing stands against it anywhere', async () => {
  const round = createReloadRound(['a', 'b'], 1000)
  const votes = [round.vote('a', []), round.vote('b', [])]
  expect(await Promise.all([...votes, round.verdict])).toEqual([[], [], []])
})

test('what stands against it in one is told to all, once', async () => {
  const round = createReloadRound(['a', 'b', 'c'], 1000)
  const votes = [round.vote('a', ['no key']), round.vote('b', []), round.vote('c', ['no key'])]
  expect(await Promise.all(votes)).toEqual([['no key'], ['no key'], ['no key']])
})

test('one that is gone votes no more', async () => {
  const round = createReloadRound(['a', 'b'], 1000)
  const vote = round.vote('a', [])
  round.leave('b')
  expect(await vote).toEqual([])
})

test('one that says nothing in time is a vote against it', async () => {
  const round = createReloadRound(['a', 'b'], 10)
  expect(await round.vote('a', [])).toEqual(['a worker did not answer in time'])
})

test('what nobody could try is refused', async () => {
  const nobody = ['no worker was there to try it']
  expect(await createReloadRound([], 1000).verdict).toEqual(nobody)
  const round = createReloadRound(['a'], 1000)
  round.leave('a')
  expect(await round.verdict).toEqual(nobody)
})
