import { defineStop } from '../guide.ts'

const completions = { method: 'POST', path: '/llm/completions', body: { prompt: 'Hello' } } as const

/** A request without a token is refused. */
export const noToken = defineStop({
  title: 'A request without a token is refused',
  why: 'HTTP conditions outside the ten outcomes have the same error body and a stable code.',
  async run(guide) {
    await guide.expect(completions, 'error', 'MISSING_TOKEN')
  },
})

/** The tenant header alone is not trusted. */
export const wrongTenant = defineStop({
  title: 'The tenant header alone is not trusted',
  why: 'The token says acme and the header says globex. The gateway refuses the request.',
  async run(guide) {
    await guide.expect({ ...completions, as: 'alice', tenantId: 'globex' }, 'forbidden', 'TENANT_MISMATCH')
  },
})

/** Unknown paths are answered in the same form. */
export const noRoute = defineStop({
  title: 'An unknown path has a typed answer too',
  why: 'Every answer of the gateway has the same form.',
  async run(guide) {
    await guide.expect({ method: 'GET', path: '/nowhere', as: 'alice' }, 'error', 'ROUTE_NOT_FOUND')
  },
})
