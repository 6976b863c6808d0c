import { answerOf, judgeRow } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Endpoints, 6: the address of a 202 can be polled. */
export const statusUrlAnswers = defineRule({
  id: 'status-url-answers',
  clause: 'endpoints.6.poll',
  title: 'The status of an accepted operation can be read',
  level: 'must',
  looksAt: ['status-url'],
  judgesSilence: true,
  check(observation) {
    return judgeRow('success', answerOf(observation))
  },
})
