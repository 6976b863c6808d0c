import { type Answered, type Client, createClient, type Fetch, type OutcomeType } from '@agentic-rest/client'
import { urlOf } from '../parts.ts'
import { requestToken } from '../request-token.ts'
import { type JoinedRecord, joinRecords } from './joined-records.ts'
import type { Paper, Question } from './paper.ts'

/** The one who sends and the gateway that is asked. */
type Caller = Pick<Question, 'as' | 'at'>

/** Takes visitors around: sends requests as somebody and shows them with their answers. */
export interface Guide {
  /** Sends a request, shows it with its answer and gives the answer. */
  ask(question: Question): Promise<Answered>
  /** The same, and throws unless the outcome is of this type and, where one is named, has this code. */
  expect<Type extends OutcomeType>(
    question: Question,
    type: Type,
    code?: string,
  ): Promise<Extract<Answered, { readonly type: Type }>>
  /** A client of somebody, for what `ask` cannot do. */
  client(caller: Caller): Client
  /** Shows a request that a stop sends by itself. */
  showRequest(question: Question): void
  /** Shows a line of what was found. */
  say(text: string): void
  /** Gives the name of somebody whom the stack has never heard of, with a token: what is asked in that name is new. */
  newcomer(wish: { readonly tenant: string; readonly roles: string }): Promise<string>
  /** What all parts recorded under one id. */
  records(correlationId: string): Promise<readonly JoinedRecord[]>
}

/** What a guide works with. */
interface GuideOptions {
  readonly portBase: number
  readonly paper: Paper
}

/** Makes a guide. Tokens are fetched when they are first needed. */
function createGuide({ portBase, paper }: GuideOptions): Guide {
  const tokens = new Map<string, Promise<string>>()
  const tokenOf = (sub: string) => {
    const token = tokens.get(sub) ?? requestToken({ portBase, sub })
    tokens.set(sub, token)
    return token
  }
  const client = ({ as, at = 'gateway' }: Caller, send?: Fetch) =>
    createClient({
      baseUrl: urlOf(at, portBase),
      token: as === undefined ? undefined : () => tokenOf(as),
      fetch: send,
    })
  const ask: Guide['ask'] = async (question) => {
    paper.request(question)
    const { as, at, ...request } = question
    return await client({ as, at }, showing(paper)).request(request)
  }
  return {
    ask,
    async expect(question, type, code) {
      const answer = await ask(question)
      demand(answer.type === type, `the outcome has to be ${type}, and is ${answer.type}`)
      const actual = 'code' in answer ? answer.code : undefined
      demand(code === undefined || actual === code, `the code has to be ${code}, and is ${actual}`)
      return answer as Extract<Answered, { readonly type: typeof type }>
    },
    client: (caller) => client(caller),
    showRequest: paper.request,
    say: paper.say,
    async newcomer(wish) {
      const sub = `visitor-${crypto.randomUUID().slice(0, 8)}`
      tokens.set(sub, Promise.resolve(await requestToken({ portBase, sub, ...wish })))
      return sub
    },
    records: (correlationId) => joinRecords(portBase, correlationId),
  }
}

/** Sends as always and shows what comes back as it came: what a client makes of it would hide the form. */
function showing(paper: Paper): Fetch {
  return async function sendAndShow(url, init) {
    const response = await fetch(url, init)
    const body = await response.clone().blob()
    const location = response.headers.get('location') ?? undefined
    paper.answer({ status: response.status, mediaType: body.type, location, text: await body.text() })
    return response
  }
}

/** One stop of the tour: it shows something, and throws when what it shows is not as it has to be. */
export interface Stop {
  readonly title: string
  /** Why the answer is as it is, in a sentence or two. */
  readonly why: string
  run(guide: Guide): Promise<void>
}

/** Ties a stop to what its `run` gets. */
export function defineStop(stop: Stop): Stop {
  return stop
}

/** An answer was not what it had to be. */
class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError'
}

/** Throws unless something is as it has to be. */
export function demand(isRight: boolean, message: string): asserts isRight {
  if (!isRight) throw new WrongAnswerError(message)
}

/** Walks the stops one after the other, all of them, and gives how many were wrong. */
export async function runTour(stops: readonly Stop[], options: GuideOptions): Promise<number> {
  const guide = createGuide(options)
  let wrong = 0
  for (const [index, stop] of stops.entries()) {
    options.paper.stop(index + 1, stop)
    try {
      await stop.run(guide)
      options.paper.right()
    } catch (error) {
      wrong += 1
      options.paper.wrong(error)
    }
  }
  options.paper.end(stops.length, wrong)
  return wrong
}
