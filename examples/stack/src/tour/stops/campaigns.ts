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
  why: 'The optimizer computes its suggestions from 28 days of metrics, with no model. The answer shows the optimization as it was accepted, reading it shows how it stands now. Reading needs no role, so bob may.',
  async run(guide) {
    const made = await guide.expect(optimize('cmp-123', { goal: 'ctr' }), 'created')
    const { id, status, suggestions } = made.body as ShownOptimization
    demand(status === 'accepted', `the status has to be accepted, and is ${status}`)
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
  title: '400: what is missing is asked for, and the exchange goes on',
  why: 'Without a goal there is nothing to optimize for. The question has the values to choose from; the answer to it is the same request with one of them.',
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
  title: '422: what is wrong is named',
  why: 'A question would not help: something was sent, and it cannot be used. 400 is only ever a question.',
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
  why: 'The route needs the role campaign:optimize, which bob does not have. The gateway refuses him, and the service never hears of it.',
  async run(guide) {
    await guide.expect(optimize('cmp-123', { goal: 'ctr' }, { as: 'bob' }), 'forbidden', 'INSUFFICIENT_ROLES')
  },
})

/** Resources of another tenant are not found. */
export const otherTenant = defineStop({
  title: 'The campaigns of another tenant do not exist',
  why: 'Carol belongs to globex and has every role that she needs. cmp-123 is a campaign of acme: for her it looks exactly like one that nobody has.',
  async run(guide) {
    const question = (campaignId: string) => optimize(campaignId, { goal: 'ctr' }, { as: 'carol' })
    const foreign = await guide.expect(question('cmp-123'), 'error', 'NOT_FOUND')
    const unknown = await guide.expect(question('cmp-nobody'), 'error', 'NOT_FOUND')
    demand(foreign.message === unknown.message, 'both answers have to be the same')
  },
})

/** A dependency is down. */
export const failedDependency = defineStop({
  title: '424: something that the agent depends on is down',
  why: 'The metrics of cmp-offline are with a partner who does not answer. The agent itself is well: trying again later may help, reporting a fault of the agent would not.',
  async run(guide) {
    await guide.expect(optimize('cmp-offline', { goal: 'ctr' }), 'failed_dependency', 'METRICS_UNAVAILABLE')
  },
})

/** The agent fails. */
export const error = defineStop({
  title: '500: the agent cannot do its work',
  why: 'The metrics of cmp-corrupt have more clicks than impressions. Nothing can be computed from them, and the answer says so in the same form as any other.',
  async run(guide) {
    await guide.expect(optimize('cmp-corrupt', { goal: 'ctr' }), 'error', 'METRICS_UNUSABLE')
  },
})

/** A route has a deadline. */
export const deadline = defineStop({
  title: 'A route has a deadline',
  why: 'Three days of a forecast are there at once. A year takes longer than the two seconds that the route allows: the gateway answers in place of the service, and tells it to stop.',
  async run(guide) {
    const path = '/campaigns/{campaignId}/forecast'
    const forecast = { method: 'GET', path, params: { campaignId: 'cmp-123' }, as: 'bob' } as const
    await guide.expect({ ...forecast, query: { days: 3 } }, 'success')
    await guide.expect({ ...forecast, query: { days: 365 } }, 'error', 'EXECUTION_TIMEOUT')
  },
})
