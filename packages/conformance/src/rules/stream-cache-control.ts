import { answerOf, isStream } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 7. */
export const streamCacheControl = defineRule({
  id: 'stream-cache-control',
  clause: 'endpoints.7.cache-control',
  title: 'A stream has Cache-Control: no-cache',
  level: 'must',
  looksAt: ['stream'],
  check(observation) {
    const answer = answerOf(observation)
    if (!isStream(answer)) return notObserved('the answer is not a stream')
    const value = answer.headers.get('cache-control')
    const directives = (value ?? '').split(',').map((directive) => directive.trim().toLowerCase())
    return directives.includes('no-cache')
      ? pass
      : fail('Cache-Control: no-cache', value ?? 'no Cache-Control')
  },
})
