import { createRequire } from 'node:module'

/**
 * The parts of undici that the gateway uses, each from its own file. The main entry also loads fetch, WebSocket, caches
 * and mocks: 65 ms of every start and 13 MB that nobody needs here (docs/performance.md). The version is pinned
 * exactly, so the files are where they are.
 */
const load = createRequire(import.meta.url)

type Undici = typeof import('undici')

export const Pool = load('undici/lib/dispatcher/pool.js') as Undici['Pool']
export const Agent = load('undici/lib/dispatcher/agent.js') as Undici['Agent']
export const buildConnector = load('undici/lib/core/connect.js') as Undici['buildConnector']
export const errors = load('undici/lib/core/errors.js') as Undici['errors']

// The main entry gives dispatchers their `request` in this way.
const Dispatcher = load('undici/lib/dispatcher/dispatcher.js') as Undici['Dispatcher']
Object.assign(Dispatcher.prototype, load('undici/lib/api/index.js'))
