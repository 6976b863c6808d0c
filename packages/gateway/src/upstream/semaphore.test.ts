import { describe, expect, it } from 'vitest'
import { type Release, Semaphore } from './semaphore.ts'

const never = new AbortController().signal

describe('permits', () => {
  it('are taken at once, without a promise, while some are free', () => {
    const semaphore = new Semaphore({ permits: 2, queue: 1 })
    expect(semaphore.take(never)).toBeTypeOf('function')
    expect(semaphore.take(never)).toBeTypeOf('function')
    expect(semaphore.take(never)).toBeInstanceOf(Promise)
    expect(semaphore).toMatchObject({ taken: 2, waiting: 1, isFull: true })
    expect(semaphore.take(never)).toBeUndefined()
  })

  it('go to the request that waits longest', async () => {
    const semaphore = new Semaphore({ permits: 1, queue: 3 })
    const first = semaphore.take(never) as Release
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (number) => {
      const release = await (semaphore.take(never) as Promise<Release>)
      order.push(number)
      release()
    })
    first()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    expect(semaphore).toMatchObject({ taken: 0, waiting: 0, isFull: false })
  })

  it('are given back once, even if released twice', () => {
    const semaphore = new Semaphore({ permits: 2, queue: 0 })
    const first = semaphore.take(never) as Release
    semaphore.take(never)
    first()
    first()
    expect(semaphore.taken).toBe(1)
  })

  it('are not waited for by cancelled requests', async () => {
    const semaphore = new Semaphore({ permits: 1, queue: 2 })
    const first = semaphore.take(never) as Release
    const leaving = new AbortController()
    const left = semaphore.take(leaving.signal) as Promise<Release>
    const stays = semaphore.take(never) as Promise<Release>
    expect(semaphore.isFull).toBe(true)
    leaving.abort('client_disconnect')
    await expect(left).rejects.toBe('client_disconnect')
    expect(semaphore).toMatchObject({ taken: 1, waiting: 1, isFull: false })
    first()
    const second = await stays
    second()
    expect(semaphore).toMatchObject({ taken: 0, waiting: 0 })
  })

  it('can be had without a queue', () => {
    const semaphore = new Semaphore({ permits: 1, queue: 0 })
    expect(semaphore.isFull).toBe(false)
    semaphore.take(never)
    expect(semaphore.isFull).toBe(true)
  })
})
