import { configText, type TestConfig } from '@agentic-rest/testing/config-text'

/** Changes to the configuration of a closed network with one route. */
export interface Changes extends Pick<TestConfig, 'gateway' | 'plugins'> {
  readonly target?: string
}

/** A small configuration on a free port. */
export function configuration({ target = 'http://127.0.0.1:9', ...changes }: Changes = {}): string {
  return configText({
    ...changes,
    routes: [
      { id: 'read-item', method: 'GET', path: '/items/{itemId}', target, forwardAuthorization: false },
    ],
  })
}
