import { defineStop, demand } from '../guide.ts'
import type { Question } from '../paper.ts'

/** The fields of an optimization that the stops read. */
export interface ShownOptimization {
  readonly id: string
  readonly status: string
  readonly suggestions: readonly { readonly type: string; readonly estimatedCtrLift: number }[]
}

/** The request for an optimization. */
export function optimize(campaignId: string, body: object, more: Partial<Question> = {}): Question {
  const path = '/campaigns/{campaignId}/optimizations'
  return { method: 'POST', path, params: { campaignId }, as: 'alice', body, ...more }
}

/** The request that reads an optimization. */
export function show(campaignId: string, optimizationId: string): Question {
  const path = '/campaigns/{campaignId}/optimizations/{optimizationId}'
  return { method: 'GET', path, params: { campaignId, optimizationId }, as: 'bob' }
}

/** A resource is created and read. */
export const optimization = defineStop({
  title: 'An agent is an ordinary resource: 201 creates, 200 reads',
  why: 'The optimizer computes its suggestions from 28 days of metrics, without a model. The answer shows the accepted optimization; a later read shows its current state. Reading needs no role, so bob may read it.',
  async run(guide) {
    const made = await guide.expect(optimize('cmp-123', { goal: 'ctr' }), 'created')
    const { id, status, suggestions } = made.body as ShownOptimization
    demand(status === 'accepted', `the status must be accepted, but is ${status}`)
    demand(suggestions.length > 0, 'there have to be suggestions')
    const lifts = suggestions.map(({ estimatedCtrLift }) => estimatedCtrLift)
    demand(
      lifts.every((lift) => lift > 0 && lift < 1),
      'each suggestion has to raise the click-through rate',
    )
    const read = await guide.expect(show('cmp-123', id), 'success')
    demand((read.body as ShownOptimization).id === id, 'it has to be the same optimization')
  },
})

/** A missing goal is asked for. */
export const missingGoal = defineStop({
  title: '400: the agent asks for a missing input, and the exchange continues',
  why: 'The request has no goal. The question lists the allowed values; the answer is the same request with one of them.',
  async run(guide) {
    const asked = await guide.expect(optimize('cmp-123', {}), 'clarification_required')
    const [input] = asked.requiredInputs
    demand(input.name === 'goal', `goal has to be asked for, and ${input.name} is`)
    const goal = input.allowedValues?.at(-1)
    await guide.expect(optimize('cmp-123', { goal }), 'created')
  },
})

/** A wrong goal is refused. */
export const wrongGoal = defineStop({
  title: '422: the answer names the invalid input',
  why: 'The request has a goal, but an invalid one. 400 is only for questions.',
  async run(guide) {
    for (const goal of [42, 'world peace']) {
      const answer = await guide.expect(optimize('cmp-123', { goal }), 'validation_failed')
      demand(answer.errors[0]?.field === 'goal', 'the field has to be goal')
    }
  },
})

/** The roles of the token decide. */
export const notPermitted = defineStop({
  title: '403: bob may look, but not optimize',
  why: 'The route needs the role campaign:optimize, which bob does not have. The gateway refuses the request; it does not reach the service.',
  async run(guide) {
    await guide.expect(optimize('cmp-123', { goal: 'ctr' }, { as: 'bob' }), 'forbidden', 'INSUFFICIENT_ROLES')
  },
})

/** Resources of another tenant are not found. */
export const otherTenant = defineStop({
  title: 'The campaigns of another tenant do not exist',
  why: 'Carol belongs to globex and has every role that she needs. cmp-123 is a campaign of acme: for her the answer is the same as for an unknown campaign.',
  async run(guide) {
    const question = (campaignId: string) => optimize(campaignId, { goal: 'ctr' }, { as: 'carol' })
    const foreign = await guide.expect(question('cmp-123'), 'error', 'NOT_FOUND')
    const unknown = await guide.expect(question('cmp-nobody'), 'error', 'NOT_FOUND')
    demand(foreign.message === unknown.message, 'both answers have to be the same')
  },
})

/** A dependency is down. */
export const failedDependency = defineStop({
  title: '424: a dependency of the agent is down',
  why: 'The metrics of cmp-offline come from a partner that does not answer. The agent itself works, so a later retry may succeed.',
  async run(guide) {
    await guide.expect(optimize('cmp-offline', { goal: 'ctr' }), 'failed_dependency', 'METRICS_UNAVAILABLE')
  },
})

/** The agent fails. */
export const error = defineStop({
  title: '500: the agent cannot do its work',
  why: 'The metrics of cmp-corrupt have more clicks than impressions. Nothing can be computed from them. The error has the same form as every other answer.',
  async run(guide) {
    await guide.expect(optimize('cmp-corrupt', { goal: 'ctr' }), 'error', 'METRICS_UNUSABLE')
  },
})

/** A route has a deadline. */
export const deadline = defineStop({
  title: 'A route has a deadline',
  why: 'A forecast of three days is fast. A forecast of a year takes longer than the two seconds of the route, so the gateway answers and cancels the request to the service.',
  async run(guide) {
    const path = '/campaigns/{campaignId}/forecast'
    const forecast = { method: 'GET', path, params: { campaignId: 'cmp-123' }, as: 'bob' } as const
    await guide.expect({ ...forecast, query: { days: 3 } }, 'success')
    await guide.expect({ ...forecast, query: { days: 365 } }, 'error', 'EXECUTION_TIMEOUT')
  },
})
