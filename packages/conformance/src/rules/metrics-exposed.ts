import { answerOf, describeHead, isFine } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Endpoints, 8. */
export const metricsExposed = defineRule({
  id: 'metrics-exposed',
  clause: 'metrics.exposed',
  title: 'Metrics are exposed in a text format',
  level: 'must',
  looksAt: ['metrics'],
  gatewayOnly: true,
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    const isText = expositions.includes(answer.essence ?? '')
    if (isFine(answer) && isText && /^# TYPE \S+ \w+$/m.test(answer.body)) return pass
    return fail('metrics as text', describeHead(answer))
  },
})

const expositions = ['text/plain', 'application/openmetrics-text']
