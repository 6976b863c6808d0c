import type { Answered } from './answer.ts'
import { buildUrl } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { startDeadline } from './deadline.ts'
import { deliver, prepare } from './deliver.ts'
import { readAnswer } from './read-answer.ts'
import type { Settings } from './settings.ts'

/** Sends one request and reads its answer. `url` replaces the address of path, params and query. */
export async function exchange(
  settings: Settings,
  request: ClientRequest,
  url = buildUrl(settings.base, request),
): Promise<Answered> {
  const outgoing = prepare(settings, request, url)
  const deadline = startDeadline({
    url,
    signal: request.signal,
    timeoutMs: request.timeoutMs ?? settings.timeoutMs,
  })
  try {
    return await readAnswer(settings, await deliver(settings, outgoing, deadline), deadline)
  } finally {
    deadline.close()
  }
}
