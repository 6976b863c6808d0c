import { openStreams } from '../admin/feed.ts'
import { createFeedSender, type FeedBatch } from '../admin/feed-batch.ts'
import type { Others } from '../admin/others.ts'
import { createRecentExchanges, ownRecords, recentRows } from '../admin/recent-exchanges.ts'
import type { Gateway } from '../gateway.ts'
import { type ClientSocket, createHandedConnections } from '../listen/handed-connections.ts'
import type { OwnAccount, Siblings } from '../siblings.ts'
import type { Channel, Desk } from './channel.ts'
import type { Boot, PrimaryDesk, WorkerDesk } from './desks.ts'
import { createReporting } from './reporting.ts'

type Primary = Channel<PrimaryDesk & Desk>

/** What ties a worker to the others, by way of the primary. */
export interface WorkerTies {
  readonly siblings: Siblings
  /** The configuration that is to be in use. */
  text(): string
  tellsWarnings(): boolean
  /** What the primary can ask, once there is a gateway. */
  desk(gateway: Gateway): Desk
}

/** Makes the ties of one worker. */
export function createWorkerTies(primary: Primary, boot: Boot): WorkerTies {
  const state = { text: boot.text, tellsWarnings: boot.index === 1 && boot.isFirst }
  let account: OwnAccount | undefined
  let take: ((socket: ClientSocket) => void) | undefined
  const connections = createHandedConnections({
    open: () => primary.ask('ready', null),
    onConnection: (taken) => {
      take = taken
    },
    closed: (count) => primary.tell('closed', count),
    stop: () => primary.ask('closeDoor', null).catch(() => undefined),
  })
  const observation = boot.index === 1 ? observeOthers(primary) : observeForAnother(primary, () => account)
  const siblings: Siblings = {
    connections,
    spokesman: {
      metrics: { expose: () => primary.ask('metrics', null) },
      degraded: () => primary.ask('degraded', null),
    },
    agree: (faults) => primary.ask('agree', faults).catch(() => ['the gateway is going down']),
    others: observation.others,
    watch: observation.watch,
    join: (own) => {
      account = own
    },
  }
  return {
    siblings,
    text: () => state.text,
    tellsWarnings: () => state.tellsWarnings,
    desk(gateway) {
      createReporting(gateway.metrics, (counts) => primary.tell('counts', counts))
      observation.look(boot.looking)
      const answers: Omit<WorkerDesk, 'drain' | 'reload' | 'metrics'> = {
        ...observation.desk,
        degraded: () => account?.degraded() ?? [],
        connection(_value, socket) {
          if (socket === undefined) return
          take?.(socket)
          primary.tell('taken', null)
        },
      }
      const reload = (text: string) => {
        const before = state.text
        state.text = text
        state.tellsWarnings = boot.index === 1
        return gateway.reload().then((result) => {
          if (result.result === 'refused') state.text = before
          return result
        })
      }
      return { ...answers, reload, metrics: () => gateway.metrics.values() } as Desk
    },
  }
}

interface Observation extends Pick<Siblings, 'others' | 'watch'> {
  readonly desk: Pick<WorkerDesk, 'look' | 'feed' | 'records' | 'recent'>
  look(isLooking: boolean): void
}

/** What the worker with the admin listener has of the others. */
function observeOthers(primary: Primary): Observation {
  let takeBatch: Parameters<Others['onBatch']>[0] = () => undefined
  return {
    watch: undefined,
    look: () => undefined,
    others: {
      reload: () => primary.ask('reload', null),
      records: (id) => primary.ask('records', id),
      recent: () => primary.ask('recent', null),
      look: (isLooking) => primary.tell('look', isLooking),
      onBatch: (take) => {
        takeBatch = take
      },
    },
    desk: {
      look: () => undefined,
      feed: ({ worker, batch }: { worker: number; batch: FeedBatch | undefined }) => takeBatch(worker, batch),
      records: () => [],
      recent: () => [],
    },
  }
}

/** What another worker with the admin listener gets to see of this one. */
function observeForAnother(primary: Primary, account: () => OwnAccount | undefined): Observation {
  const recent = createRecentExchanges()
  const sender = createFeedSender(
    {
      inFlight: () => account()?.load.inFlight ?? 0,
      streams: () => streamsOf(account()),
    },
    (batch) => primary.tell('feed', batch),
  )
  return {
    others: undefined,
    look: sender.look,
    watch(exchange) {
      recent.add(exchange)
      sender.watch(exchange)
    },
    desk: {
      look: sender.look,
      feed: () => undefined,
      records: (id) => ownRecords(id, recent),
      recent: () => recentRows(recent),
    },
  }
}

function streamsOf(account: OwnAccount | undefined) {
  return account === undefined ? [] : openStreams(account.load, account.current().config)
}
