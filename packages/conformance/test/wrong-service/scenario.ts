import { join } from 'node:path'
import type { ScenarioInput } from '../../src/index.ts'
import { STREAMS } from './streams.ts'

const post = (path: string) => ({ request: { method: 'POST', path, body: {} } }) as const
const read = (path: string) => ({ method: 'GET', path }) as const

/** The scenario of the wrong service. */
export const wrongScenario: ScenarioInput = {
  token: 'alice',
  tenant: 'acme',
  tokens: { alice: { env: 'ALICE' }, bob: { env: 'BOB' }, carol: { env: 'CAROL' } },
  foreignTenant: 'globex',
  outcomes: {
    success: { request: read('/items/1') },
    created: post('/items'),
    accepted: post('/jobs'),
    clarification_required: { ...post('/goals'), asks: ['goal'] },
    validation_failed: post('/faults'),
    approval_required: post('/gates'),
    forbidden: {
      request: { ...post('/secrets').request, token: 'bob' },
      admits: { token: 'alice' },
    },
    conflict: post('/clashes'),
    failed_dependency: post('/outages'),
    error: post('/bugs'),
  },
  stream: post('/stream'),
  limit: { ...post('/limited'), streams: STREAMS, otherTenant: { token: 'carol', tenant: 'globex' } },
  deadline: { ...post('/slow'), seconds: 0.25 },
  graph: {
    failed_dependency: post('/graph/outage'),
    clarification_required: { ...post('/graph/question'), asks: ['shipFrom'], hides: ['warehouse'] },
    approval_required: { ...post('/graph/gate'), approver: 'export office' },
    hop: { ...post('/graph/stock'), records: { ...read('/behind/checks'), count: '$.checks' } },
  },
  retry: { ...post('/orders'), effects: { ...read('/orders'), count: '$.items' } },
  tracelessUpstream: post('/traceless'),
  mismatchedUpstream: post('/mismatched'),
  unreachableUpstream: post('/unreachable'),
  echo: post('/echo'),
  packages: [join(import.meta.dirname, '../../package.json')],
  fixtures: join(import.meta.dirname, '../../../profile/fixtures/v0.3'),
}

/** The tokens of the scenario. */
export const wrongTokens = { ALICE: 'token-of-alice', BOB: 'token-of-bob', CAROL: 'token-of-carol' }
