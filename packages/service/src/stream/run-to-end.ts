import type { Outcome } from '@agentic-rest/profile'
import type { Operation, Running } from '../operation.ts'
import type { RunContext } from '../run-context.ts'
import { type WrittenEvent, writeYielded } from './event.ts'
import { giveUp, RawResponse } from './raw.ts'

/** Receives the events of a run. */
export interface EventSink {
  /** Called once, when a generator has begun to run. */
  open(): void
  /** Resolves with true when the next event may come, with false when nobody wants it. */
  push(event: WrittenEvent): boolean | Promise<boolean>
}

/** Runs an operation to its outcome. Its events go to the sink. */
export async function runToEnd(
  operation: Pick<Operation, 'run' | 'streams' | 'event'>,
  context: RunContext,
  sink: EventSink,
): Promise<Outcome | RawResponse> {
  const running = operation.run(context)
  if (!isGenerator(running)) return running
  if (!operation.streams)
    throw new TypeError(
      'run returned a generator: write it as `async *run`, or give the schema of its events',
    )
  return drive(running, { sink, context, schema: operation.event })
}

interface Driving {
  readonly sink: EventSink
  readonly context: Pick<RunContext, 'signal' | 'log'>
  readonly schema: Operation['event']
}

type Generator = Extract<Running, AsyncIterator<unknown>>

async function drive(generator: Generator, { sink, context, schema }: Driving): Promise<Outcome> {
  // The first step begins before the head is sent, so that `run` can set headers before its first `await`.
  let step = generator.next()
  sink.open()
  for (;;) {
    const { done, value } = await step
    if (done) return refuseRaw(value)
    let isWanted: boolean
    try {
      isWanted = await sink.push(await writeYielded(value, schema))
    } catch (fault) {
      await end(generator, context)
      throw fault
    }
    if (!isWanted || context.signal.aborted) {
      await end(generator, context)
      throw context.signal.reason ?? new Error('nobody reads the stream any more')
    }
    step = generator.next()
  }
}

/** The type of a generator has no foreign answer, and its stream has begun. */
function refuseRaw(value: Outcome | RawResponse): Outcome {
  if (value instanceof RawResponse) throw giveUp(value, 'a generator cannot return raw')
  return value
}

/** Runs the `finally` blocks of a generator. A fault in them is logged, because the stream has another end already. */
async function end(generator: Generator, { log }: Driving['context']): Promise<void> {
  try {
    // The type wants an outcome, but a generator that is told to end has none.
    await generator.return(undefined as unknown as Outcome)
  } catch (cause) {
    log.error('a stream failed while it was ended', { cause })
  }
}

function isGenerator(running: Running): running is Generator {
  return typeof running === 'object' && running !== null && Symbol.asyncIterator in running
}
