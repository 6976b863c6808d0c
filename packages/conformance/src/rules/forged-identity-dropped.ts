import { answerOf, isFine } from '../judge.ts'
import { ECHOED, FORGED } from '../observe/observation.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'
import type { Exchange } from '../wire/exchange.ts'

/** Decision 16: a service believes these headers, so a client must not be able to set them. */
export const forgedIdentityDropped = defineRule({
  id: 'forged-identity-dropped',
  clause: 'gateway.identity-headers',
  title: 'Identity headers of a client do not reach the upstream',
  level: 'must',
  looksAt: ['echo'],
  gatewayOnly: true,
  check(observation) {
    const [exchange] = observation.exchanges
    const { contrast } = observation
    if (exchange === undefined || contrast === undefined || !isEcho(contrast)) return notObserved(NO_ECHO)
    const answer = answerOf(observation)
    const passed = Object.entries(exchange.request.headers)
      .filter(([, value]) => value.startsWith(FORGED) && answer.body.includes(value))
      .map(([name]) => name)
    if (passed.length > 0) return fail('no forged header at the upstream', passed.join(', '))
    // A refusal keeps them out too.
    return isEcho(exchange) || !isFine(answer) ? pass : notObserved(NO_ECHO)
  },
})

const NO_ECHO = 'the answer does not have the headers that reached the upstream'

function isEcho({ request, answer }: Exchange): boolean {
  return answer !== undefined && isFine(answer) && answer.body.includes(request.headers[ECHOED] ?? NO_ECHO)
}
