import { type Answered, type Client, createClient, type Fetch, type OutcomeType } from '@agentic-rest/client'
import { urlOf } from '../parts.ts'
import { requestToken } from '../request-token.ts'
import { type JoinedRecord, joinRecords } from './joined-records.ts'
import type { Paper, Question } from './paper.ts'

/** The sender and the gateway of a request. */
type Caller = Pick<Question, 'as' | 'at'>

/** Sends the requests of the tour and shows them with their answers. */
export interface Guide {
  /** Sends a request, shows it with its answer and returns the answer. */
  ask(question: Question): Promise<Answered>
  /** Sends a request as `ask` does; throws if the outcome has another type or code. */
  expect<Type extends OutcomeType>(
    question: Question,
    type: Type,
    code?: string,
  ): Promise<Extract<Answered, { readonly type: Type }>>
  /** A client, for requests that `ask` cannot send. */
  client(caller: Caller): Client
  /** Shows a request that a stop sends with a client. */
  showRequest(question: Question): void
  /** Shows a line. */
  say(text: string): void
  /** Creates a new user with a token, so that its requests are new to the stack. */
  newcomer(wish: { readonly tenant: string; readonly roles: string }): Promise<string>
  /** The audit records of all parts with one correlation id. */
  records(correlationId: string): Promise<readonly JoinedRecord[]>
}

/** The options of a guide. */
interface GuideOptions {
  readonly portBase: number
  readonly paper: Paper
}

/** Creates a guide. Tokens are fetched at their first use. */
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
      demand(answer.type === type, `the outcome must be ${type}, but is ${answer.type}`)
      const actual = 'code' in answer ? answer.code : undefined
      demand(code === undefined || actual === code, `the code must be ${code}, but is ${actual}`)
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

/** A `fetch` that shows the raw answer, before the client parses it. */
function showing(paper: Paper): Fetch {
  return async function sendAndShow(url, init) {
    const response = await fetch(url, init)
    const body = await response.clone().blob()
    const location = response.headers.get('location') ?? undefined
    paper.answer({ status: response.status, mediaType: body.type, location, text: await body.text() })
    return response
  }
}

/** One stop of the tour: it shows something, and throws if the answer is wrong. */
export interface Stop {
  readonly title: string
  /** The reason for the answer, in one or two sentences. */
  readonly why: string
  run(guide: Guide): Promise<void>
}

/** Types the argument of `run`. */
export function defineStop(stop: Stop): Stop {
  return stop
}

/** An answer was wrong. */
class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError'
}

/** Throws if the condition is false. */
export function demand(isRight: boolean, message: string): asserts isRight {
  if (!isRight) throw new WrongAnswerError(message)
}

/** The options of a tour. */
interface TourOptions extends GuideOptions {
  /** Waits between two stops; resolves with false to leave the tour. */
  readonly goOn?: (() => Promise<boolean>) | undefined
}

/** Runs the stops in order; resolves with the number of wrong ones. */
export async function runTour(stops: readonly Stop[], options: TourOptions): Promise<number> {
  const { paper, goOn = async () => true } = options
  const guide = createGuide(options)
  let [seen, wrong] = [0, 0]
  for (const stop of stops) {
    if (seen > 0 && !(await goOn())) break
    seen += 1
    paper.stop(seen, stop)
    try {
      await stop.run(guide)
      paper.right()
    } catch (error) {
      wrong += 1
      paper.wrong(error)
    }
  }
  paper.end({ stops: stops.length, seen, wrong })
  return wrong
}
