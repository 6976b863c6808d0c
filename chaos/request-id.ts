import { headers } from '@agentic-rest/profile'

const REQUEST_ID = new RegExp(`^${headers.requestId}: (.*)\r$`, 'im')

/** The id in the head of a request. */
export function requestIdIn(head: string): string {
  const [, id = ''] = REQUEST_ID.exec(head) ?? []
  return id
}
