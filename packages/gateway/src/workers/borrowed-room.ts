import type { Room } from '../lifetime/load.ts'

/** A worker's part of the requests that all workers may work on together. */
export interface BorrowedRoom extends Room {
  askForMore(): Promise<boolean>
  /** Gets some permits before the first request needs one. */
  warm(): Promise<void>
  /** Gives up permits that nobody uses, for another worker that needs some. */
  giveBack(needed: number): number
}

/** What the room is made with. */
export interface BorrowedRoomOptions {
  /** Requests in this process, with those that wait for room. */
  readonly inFlight: () => number
  /** Asks for permits for so many requests; resolves with how many were given, and never rejects. */
  readonly ask: (needed: number) => Promise<number>
}

/**
 * Permits are the worker's and not a request's: as many requests as it has permits go on without asking anybody, and one
 * more waits until the others were asked. Permits that are not used can be called back.
 */
export function createBorrowedRoom({ inFlight, ask }: BorrowedRoomOptions): BorrowedRoom {
  const waiting: ((hasRoom: boolean) => void)[] = []
  let permits = 0
  let asking = false
  const decide = (count: number) => {
    let room = permits - (inFlight() - waiting.length)
    for (const tell of waiting.splice(0, count)) {
      tell(room > 0)
      room -= 1
    }
  }
  const askUntilDecided = async () => {
    asking = true
    while (waiting.length > 0) {
      // Who comes while the others are asked waits for the next answer: this one knows nothing of it.
      const { length } = waiting
      // Added afterwards: some may be called back while the others are asked. From a primary that is gone nothing comes.
      const given = await ask(length).catch(() => 0)
      permits += given
      decide(length)
    }
    asking = false
  }
  return {
    limit: () => permits,
    askForMore() {
      const answer = new Promise<boolean>((resolve) => waiting.push(resolve))
      if (!asking) void askUntilDecided()
      return answer
    },
    async warm() {
      const given = await ask(0)
      permits += given
    },
    giveBack(needed) {
      const idle = Math.max(0, permits - inFlight())
      const given = Math.min(idle, Math.max(needed, Math.floor(idle / 2)))
      permits -= given
      return given
    },
  }
}
