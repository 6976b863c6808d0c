import type { Fetch } from '@agentic-rest/client'

/** Sends a request for the gateway through the listener of the console, which adds the token of the session. */
export const sendAsMe: Fetch = (url, init) => {
  const { pathname, search } = new URL(url)
  return fetch(`/api/as-me${pathname}${search}`, init)
}
