import { answerOf, isJson, outcomeObservations, typedObservations } from '../judge.ts'
import { shorten } from '../report/escape.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Errors, table: every media type of the table is JSON. */
export const jsonBodies = defineRule({
  id: 'json-bodies',
  clause: 'table.json',
  title: 'Bodies with a JSON media type are JSON',
  level: 'must',
  looksAt: [...new Set([...outcomeObservations, ...typedObservations]), 'status-url', 'stream.plain'],
  check(observation) {
    const answer = answerOf(observation)
    const { json, cut, body } = answer
    if (!isJson(answer)) return notObserved('the media type is not JSON')
    if (json !== undefined) return pass
    return fail('JSON', cut ?? JSON.stringify(shorten(body, 80)))
  },
})
