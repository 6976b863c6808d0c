import { createClient } from '@agentic-rest/client'
import { expect } from 'vitest'
import { requestToken, urlOf } from '../../src/index.ts'

/** Work in the background that was accepted with 202, and so is promised. */
export interface AcceptedOperations {
  /** Waits for the end of each: a part that was killed meanwhile must not have lost one. */
  expectCompleted(): Promise<void>
}

const goals = ['reach', 'cpl', 'lead_quality']

/** Has the campaigns begin an optimization for each of three goals in the background. */
export async function acceptOperations(portBase: number): Promise<AcceptedOperations> {
  const token = await requestToken({ portBase, sub: 'alice' })
  const client = createClient({ baseUrl: urlOf('gateway', portBase), token })
  const read = (path: string) =>
    client.request<{ status?: string; outcome?: string }>({ method: 'GET', path })
  const statusUrls = await Promise.all(goals.map(accept))
  return {
    async expectCompleted() {
      for (const path of statusUrls) {
        const end = async () => {
          const answer = await read(path)
          return answer.type === 'success' ? answer.body : answer
        }
        await expect.poll(end).toMatchObject({ status: 'completed', outcome: 'created' })
      }
    },
  }

  async function accept(goal: string): Promise<string> {
    const answer = await client.request({
      method: 'POST',
      path: '/campaigns/cmp-123/optimizations',
      body: { goal },
      preferAsync: true,
    })
    return answer.type === 'accepted'
      ? answer.statusUrl
      : expect.fail(`${goal} is answered with ${answer.type}`)
  }
}
