import { createHash } from 'node:crypto'
import type { RedisClient } from '../../redis/redis-client.ts'
import { defineScript, runScript, type Script } from '../../redis/run-script.ts'
import { within } from '../../redis/time-limit.ts'
import type { Demand, Settlement } from './limit-store.ts'
import type { PeriodName } from './period.ts'

/**
 * Functions of all scripts. Redis' own clock decides, so that the clocks of gateways do not matter. A budget is a hash: its
 * period `p`, its total `t`, and the part of each gateway. A gateway whose part is missing brings it along: an emptied Redis
 * has the totals again with the next requests.
 */
const COMMON = `
local time = redis.call('TIME')
local sec = tonumber(time[1])
local now = sec * 1000000 + tonumber(time[2])
local gateway = ARGV[1]
local function text(number) return string.format('%.0f', number) end
local function period_of(per)
  local day = math.floor(sec / 86400)
  if per == 'day' then return day * 86400 end
  local z = day + 719468
  local doe = z - math.floor(z / 146097) * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local mp = math.floor((5 * doy + 2) / 153)
  return (day - (doy - math.floor((153 * mp + 2) / 5))) * 86400
end
local function read_tat(key) return tonumber(redis.call('GET', key) or '') or 0 end
local function write_tat(key, backlog)
  if backlog > 0 then redis.call('SET', key, text(now + backlog), 'PX', text(math.ceil(backlog / 1000))) end
end
local function read_budget(key, per, period, own)
  local start = period_of(per)
  local row = redis.call('HMGET', key, 'p', 't', gateway)
  if tonumber(row[1] or '') ~= start then row = {start, '0', false} end
  local budget = {start = start, per = per, total = tonumber(row[2] or '0'), own = tonumber(row[3] or '')}
  if budget.own == nil then
    budget.own = period == start and own or 0
    budget.total = budget.total + budget.own
  end
  return budget
end
local function write_budget(key, budget)
  if tonumber(redis.call('HGET', key, 'p') or '') ~= budget.start then redis.call('DEL', key) end
  redis.call('HSET', key, 'p', text(budget.start), 't', text(budget.total), gateway, text(budget.own))
  redis.call('EXPIREAT', key, text(budget.start + (budget.per == 'day' and 2 or 32) * 86400))
end`

/** Decides on all demands of a request and charges all or none. With ARGV[2] = 0 nothing is charged. */
const DECIDE = defineScript(`${COMMON}
local refused = 0
local states = {}
local at = 3
for i, key in ipairs(KEYS) do
  local state = {}
  if ARGV[at] == 'rate' then
    local interval, burst = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    state.interval = interval
    state.backlog = math.min(math.max(read_tat(key) - now, 0), burst * interval)
    state.fits = state.backlog <= (burst - 1) * interval
  else
    state.amount = tonumber(ARGV[at + 1])
    state.budget = read_budget(key, ARGV[at + 3], tonumber(ARGV[at + 5]), tonumber(ARGV[at + 4]))
    state.fits = state.amount == 0 or state.budget.total + state.amount <= tonumber(ARGV[at + 2])
  end
  at = at + 6
  if not state.fits and refused == 0 then refused = i end
  states[i] = state
end
local writes = ARGV[2] == '1'
local charge = writes and refused == 0
local answer = {refused, sec, now - sec * 1000000}
for i, key in ipairs(KEYS) do
  local state = states[i]
  if state.budget then
    local budget = state.budget
    if charge then
      budget.total = budget.total + state.amount
      budget.own = budget.own + state.amount
    end
    if writes then write_budget(key, budget) end
    for _, value in ipairs({state.fits and 1 or 0, budget.total, budget.own, budget.start}) do table.insert(answer, value) end
  else
    if charge then state.backlog = state.backlog + state.interval end
    if writes then write_tat(key, state.backlog) end
    for _, value in ipairs({state.fits and 1 or 0, state.backlog, 0, 0}) do table.insert(answer, value) end
  end
end
return answer`)

/** Adds to the part of this gateway in budgets, each in its period only. */
const SETTLE = defineScript(`${COMMON}
local answer = {}
for i, key in ipairs(KEYS) do
  local at = i * 4 - 2
  local per, period, own, change = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local budget = read_budget(key, per, period, own)
  if period == budget.start then
    budget.total = math.max(0, budget.total + change)
    budget.own = math.max(0, budget.own + change)
    write_budget(key, budget)
  end
  for _, value in ipairs({budget.total, budget.own, budget.start}) do table.insert(answer, value) end
end
return answer`)

/** Brings the counts of this gateway into Redis. Its part of a budget is replaced, a rate is never lowered. */
const ENTER = defineScript(`${COMMON}
redis.call('SET', 'agentic:limits:v1:probe:' .. gateway, '1', 'PX', '1')
for i, key in ipairs(KEYS) do
  local at = i * 4 - 2
  if ARGV[at] == 'rate' then
    write_tat(key, math.max(read_tat(key) - now, tonumber(ARGV[at + 1])))
  else
    local budget = read_budget(key, ARGV[at], 0, 0)
    if tonumber(ARGV[at + 1]) == budget.start then
      local own = tonumber(ARGV[at + 2])
      budget.total = math.max(0, budget.total + own - budget.own)
      budget.own = own
      write_budget(key, budget)
    end
  end
end
return 1`)

const PREFIX = 'agentic:limits:v1:'

/** The key in Redis. A digest, so that no name can imitate another part of the key. */
export function redisKey(key: string): string {
  return PREFIX + createHash('sha256').update(key).digest('base64url')
}

/** The part of this gateway in a budget, as this gateway knows it. */
export interface OwnPart {
  readonly own: number
  readonly period: number
}

/** The state of one demand in Redis. */
export interface RedisState {
  readonly fits: boolean
  /** The backlog of a rate, or the total of a budget. */
  readonly count: number
  readonly own: number
  readonly period: number
}

/** Redis' answer to the demands of a request. */
export interface RedisDecision {
  /** The position of the first demand that does not fit; -1 when all do. */
  readonly refused: number
  /** The time of Redis in microseconds since 1970. */
  readonly nowUs: number
  readonly states: readonly RedisState[]
}

/** A count of this gateway that Redis has to know. */
export type KnownCount =
  | { readonly type: 'rate'; readonly key: string; readonly backlogUs: number }
  | { readonly type: PeriodName; readonly key: string; readonly period: number; readonly own: number }

/** The counts of all gateways of one Redis, each call in one round trip. */
export interface RedisLimits {
  decide(demands: readonly Demand[], options: DecideOptions): Promise<RedisDecision>
  /** Answers with the state of each budget. */
  settle(settlements: readonly (Settlement & OwnPart)[]): Promise<readonly Omit<RedisState, 'fits'>[]>
  /** Brings counts, in as many calls as they need; rejects when one of them takes longer than `withinMs`. */
  enter(counts: readonly KnownCount[], withinMs: number): Promise<unknown>
}

/** How demands are decided on. */
export interface DecideOptions {
  readonly charge: boolean
  readonly ownOf: (key: string) => OwnPart | undefined
}

/** Keys of one call that brings counts: a script blocks Redis for as long as it runs. */
export const KEYS_PER_CALL = 512

/** Makes the limits of a connection. */
export function createRedisLimits(client: RedisClient, gatewayId: string): RedisLimits {
  const run = (script: Script, keys: string[], words: string[]) =>
    runScript<readonly number[]>(client, script, { keys, words: [gatewayId, ...words] })
  return {
    async decide(demands, { charge, ownOf }) {
      const words = demands.flatMap((demand) => demandWords(demand, ownOf))
      const keys = demands.map(({ key }) => redisKey(key))
      return readDecision(await run(DECIDE, keys, [charge ? '1' : '0', ...words]))
    },
    async settle(settlements) {
      const keys = settlements.map(({ key }) => redisKey(key))
      const words = settlements.flatMap(({ per, period, own, used, reserved }) => [
        per,
        ...[period, own, used - reserved].map(String),
      ])
      const numbers = await run(SETTLE, keys, words)
      return settlements.map((_, index) => {
        const [count = 0, own = 0, period = 0] = numbers.slice(index * 3)
        return { count, own, period }
      })
    },
    async enter(counts, withinMs) {
      for (let from = 0; from === 0 || from < counts.length; from += KEYS_PER_CALL) {
        const part = counts.slice(from, from + KEYS_PER_CALL)
        const keys = part.map(({ key }) => redisKey(key))
        await within(withinMs, run(ENTER, keys, part.flatMap(countWords)))
      }
    },
  }
}

/** Six words for each demand. */
function demandWords(demand: Demand, ownOf: DecideOptions['ownOf']): string[] {
  if (demand.type === 'rate') return ['rate', String(demand.intervalUs), String(demand.burst), '', '', '']
  const { own, period } = ownOf(demand.key) ?? { own: 0, period: 0 }
  return ['budget', String(demand.amount), String(demand.limit), demand.per, String(own), String(period)]
}

/** Four words for each count. */
function countWords(count: KnownCount): string[] {
  if (count.type === 'rate') return ['rate', String(count.backlogUs), '', '']
  return [count.type, String(count.period), String(count.own), '']
}

const MICROSECONDS = 1_000_000
const NUMBERS_PER_STATE = 4

function readDecision([refused = 0, sec = 0, us = 0, ...numbers]: readonly number[]): RedisDecision {
  const states: RedisState[] = []
  for (let at = 0; at < numbers.length; at += NUMBERS_PER_STATE) {
    const [fits, count = 0, own = 0, period = 0] = numbers.slice(at)
    states.push({ fits: fits === 1, count, own, period })
  }
  return { refused: refused - 1, nowUs: sec * MICROSECONDS + us, states }
}
