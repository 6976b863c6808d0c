import { typedBody } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 6: the poll target ends with the id of the operation and /status. */
export const statusUrlPath = defineRule({
  id: 'status-url-path',
  clause: 'endpoints.6.path',
  title: 'statusUrl ends with the operation id and /status',
  level: 'must',
  looksAt: ['outcomes.accepted'],
  check(observation) {
    const typed = typedBody(observation)
    const { operationId, statusUrl } = 'reason' in typed ? {} : typed.body
    if (typeof operationId !== 'string' || typeof statusUrl !== 'string')
      return notObserved('the body names no operation and address')
    const wanted = `/${operationId}/status`
    const url = URL.parse(statusUrl, observation.exchanges[0]?.request.url)
    if (url !== null && decode(url.pathname).endsWith(wanted)) return pass
    return fail(`an address whose path ends with ${wanted}`, statusUrl)
  },
})

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
