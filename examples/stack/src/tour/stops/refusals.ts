import { defineStop } from '../guide.ts'

const completions = { method: 'POST', path: '/llm/completions', body: { prompt: 'Hello' } } as const

/** A request without a token is refused. */
export const noToken = defineStop({
  title: 'Without a token nothing is reached',
  why: 'Conditions of HTTP outside the ten outcomes have the same body and a code that does not change.',
  async run(guide) {
    await guide.expect(completions, 'error', 'MISSING_TOKEN')
  },
})

/** The tenant header alone is not trusted. */
export const wrongTenant = defineStop({
  title: 'A tenant is never taken on trust',
  why: 'The token says acme and the header says globex. The gateway does not choose between them, it refuses.',
  async run(guide) {
    await guide.expect({ ...completions, as: 'alice', tenantId: 'globex' }, 'forbidden', 'TENANT_MISMATCH')
  },
})

/** Unknown paths are answered in the same form. */
export const noRoute = defineStop({
  title: 'Where there is no operation, the answer still has its form',
  why: 'A client reads every answer of the gateway in the same way, this one too.',
  async run(guide) {
    await guide.expect({ method: 'GET', path: '/nowhere', as: 'alice' }, 'error', 'ROUTE_NOT_FOUND')
  },
})
