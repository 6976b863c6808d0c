import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Retry rule 3: the correlation id is forwarded unchanged. */
export const hopCorrelation = defineRule({
  id: 'hop-correlation',
  clause: 'hop.correlation',
  title: 'The inner agent records the correlation id of the caller',
  level: 'must',
  looksAt: ['graph.hop'],
  check(observation) {
    const [before = 0, after = 0] = observation.counts ?? []
    const [first] = observation.exchanges
    const id = first?.request.trace.correlationId ?? ''
    if (after <= before || !/correlation/i.test(observation.records ?? ''))
      return notObserved('the inner agent shows no correlation ids')
    return observation.records?.includes(id) ? pass : fail(`a record with ${id}`, 'none', first)
  },
})
