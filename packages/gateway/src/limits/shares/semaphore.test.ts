import { describe, expect, it } from 'vitest'
import { type Release, Semaphore } from './semaphore.ts'

const never = new AbortController().signal

describe('permits', () => {
  it('are taken at once, without a promise, while some are free', () => {
    const semaphore = new Semaphore({ permits: 2, queue: 1 })
    expect(semaphore.take('acme', never)).toBeTypeOf('function')
    expect(semaphore.take('acme', never)).toBeTypeOf('function')
    expect(semaphore.take('acme', never)).toBeInstanceOf(Promise)
    expect(semaphore).toMatchObject({ taken: 2, waiting: 1 })
    expect(semaphore.take('acme', never)).toBe('queue')
  })

  it('go to the request that waits longest', async () => {
    const semaphore = new Semaphore({ permits: 1, queue: 3 })
    const first = semaphore.take('acme', never) as Release
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (number) => {
      const release = await (semaphore.take('acme', never) as Promise<Release>)
      order.push(number)
      release()
    })
    first()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    expect(semaphore).toMatchObject({ taken: 0, waiting: 0 })
  })

  it('are given back once, even if released twice', () => {
    const semaphore = new Semaphore({ permits: 2, queue: 0 })
    const first = semaphore.take('acme', never) as Release
    semaphore.take('acme', never)
    first()
    first()
    expect(semaphore.taken).toBe(1)
  })

  it('are not waited for by cancelled requests', async () => {
    const semaphore = new Semaphore({ permits: 1, queue: 2 })
    const first = semaphore.take('acme', never) as Release
    const leaving = new AbortController()
    const left = semaphore.take('acme', leaving.signal) as Promise<Release>
    const stays = semaphore.take('acme', never) as Promise<Release>
    expect(semaphore.fullFor('acme')).toBe('queue')
    leaving.abort('client_disconnect')
    await expect(left).rejects.toBe('client_disconnect')
    expect(semaphore).toMatchObject({ taken: 1, waiting: 1 })
    first()
    const second = await stays
    second()
    expect(semaphore).toMatchObject({ taken: 0, waiting: 0 })
  })

  it('can be had without a queue', () => {
    const semaphore = new Semaphore({ permits: 1, queue: 0 })
    expect(semaphore.fullFor('acme')).toBeUndefined()
    semaphore.take('acme', never)
    expect(semaphore.fullFor('acme')).toBe('queue')
  })

  it('go to the waiting tenants in turn', async () => {
    const semaphore = new Semaphore({ permits: 1, queue: 10 })
    const first = semaphore.take('acme', never) as Release
    const order: string[] = []
    const waiting = ['acme', 'acme', 'acme', 'globex'].map(async (tenant) => {
      const release = await (semaphore.take(tenant, never) as Promise<Release>)
      order.push(tenant)
      release()
    })
    first()
    await Promise.all(waiting)
    expect(order).toEqual(['acme', 'globex', 'acme', 'acme'])
  })

  it('are never all held by one tenant', async () => {
    const semaphore = new Semaphore({ permits: 4, permitsPerTenant: 3, queue: 10 })
    const [first] = [1, 2, 3].map(() => semaphore.take('acme', never) as Release)
    const waits = semaphore.take('acme', never)
    expect(waits).toBeInstanceOf(Promise)
    const other = semaphore.take('globex', never) as Release
    expect(other).toBeTypeOf('function')
    other()
    // The free permit is not for the tenant that has its share.
    expect(semaphore).toMatchObject({ taken: 3, waiting: 1 })
    first?.()
    expect(await waits).toBeTypeOf('function')
    expect(semaphore).toMatchObject({ taken: 3, waiting: 0 })
  })

  it('are waited for by a bounded number of requests of one tenant', () => {
    const semaphore = new Semaphore({ permits: 1, queue: 3, queuePerTenant: 2 })
    semaphore.take('acme', never)
    for (const _ of [1, 2]) expect(semaphore.take('acme', never)).toBeInstanceOf(Promise)
    expect(semaphore.take('acme', never)).toBe('queuePerTenant')
    expect(semaphore.take('globex', never)).toBeInstanceOf(Promise)
    expect(semaphore.take('globex', never)).toBe('queue')
  })
})
