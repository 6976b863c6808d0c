import { describe, expect, it } from 'vitest'
import { createPlaces, type Release } from './places.ts'

const never = new AbortController().signal

describe('places', () => {
  it('are had at once, without a promise, as long as there are some', () => {
    const places = createPlaces({ places: 2, waiting: 1 })
    expect(places.take(never)).toBeTypeOf('function')
    expect(places.take(never)).toBeTypeOf('function')
    expect(places.take(never)).toBeInstanceOf(Promise)
    expect(places).toMatchObject({ taken: 2, waiting: 1, isFull: true })
    expect(places.take(never)).toBeUndefined()
  })

  it('go to whoever waits longest', async () => {
    const places = createPlaces({ places: 1, waiting: 3 })
    const first = places.take(never) as Release
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (number) => {
      const release = await (places.take(never) as Promise<Release>)
      order.push(number)
      release()
    })
    first()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    expect(places).toMatchObject({ taken: 0, waiting: 0, isFull: false })
  })

  it('are given back once, however often that is said', () => {
    const places = createPlaces({ places: 2, waiting: 0 })
    const first = places.take(never) as Release
    places.take(never)
    first()
    first()
    expect(places.taken).toBe(1)
  })

  it('are not waited for by those that leave', async () => {
    const places = createPlaces({ places: 1, waiting: 2 })
    const first = places.take(never) as Release
    const leaving = new AbortController()
    const left = places.take(leaving.signal) as Promise<Release>
    const stays = places.take(never) as Promise<Release>
    expect(places.isFull).toBe(true)
    leaving.abort('client_disconnect')
    await expect(left).rejects.toBe('client_disconnect')
    expect(places).toMatchObject({ taken: 1, waiting: 1, isFull: false })
    first()
    const second = await stays
    second()
    expect(places).toMatchObject({ taken: 0, waiting: 0 })
  })

  it('may have nobody waiting at all', () => {
    const places = createPlaces({ places: 1, waiting: 0 })
    expect(places.isFull).toBe(false)
    places.take(never)
    expect(places.isFull).toBe(true)
  })
})
