import { InitialisationError } from '../errors.ts'
import type { ClientSocket } from '../listen/handed-connections.ts'
import type { Desk } from './channel.ts'
import type { Started, StartFailure } from './desks.ts'
import type { Taker } from './spread-connections.ts'
import { startWorkerProcess, type WorkerProcess, type WorkerProgram } from './worker-process.ts'

/** A worker as the primary knows it. */
export interface Member extends Taker {
  readonly index: number
  readonly process: WorkerProcess
  /** Resolves when it takes requests; rejects when it never will. */
  readonly started: Promise<Started>
}

/** Answers what one worker asks; `started` and `failed` are added to it. */
export type DeskOf = (member: () => Member) => Desk

const START_MS = 30_000

/** Starts the process of a place. */
export function startMember(index: number, program: WorkerProgram, deskOf: DeskOf): Member {
  const { promise: started, resolve, reject } = Promise.withResolvers<Started>()
  const process = startWorkerProcess(program, {
    ...deskOf(() => member),
    started: (value: Started) => resolve(value),
    failed: ({ reason, isInitialisation }: StartFailure) =>
      reject(isInitialisation ? new InitialisationError(reason) : new Error(reason)),
  })
  const member: Member = {
    index,
    process,
    started,
    hand: (socket: ClientSocket) => process.channel.hand('connection', null, socket),
  }
  const timer = setTimeout(() => {
    process.kill()
    reject(new Error('the worker did not start in time'))
  }, START_MS)
  void process.ended.then((how) => reject(new Error(`the worker ended before it took requests: ${how}`)))
  started.catch(() => undefined).finally(() => clearTimeout(timer))
  return member
}
