import { outcomes } from '@agentic-rest/profile'
import { answerOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Limits: the deadline is N seconds. */
export const deadlineTime = defineRule({
  id: 'deadline-time',
  clause: 'deadline.time',
  title: 'A request ends at its deadline, not before and not long after',
  level: 'must',
  looksAt: ['deadline'],
  check(observation) {
    const answer = answerOf(observation)
    if (answer.status !== outcomes.error.status)
      return notObserved('the request was not ended by its deadline')
    const seconds = answer.elapsedMs / 1000
    const wanted = observation.expected?.seconds ?? 0
    if (seconds >= wanted * EARLIEST && seconds <= wanted * LATEST + SLACK_SECONDS) return pass
    return fail(`${wanted} s`, `${seconds.toFixed(2)} s`)
  },
})

// Timers may fire slightly early by another clock, and a busy machine is slow.
const EARLIEST = 0.95
const LATEST = 1.25
const SLACK_SECONDS = 1
