import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from '../bench-context.ts'
import { type Contender, startContender } from '../contenders.ts'
import { cpuMicroseconds } from '../cpu-time.ts'
import { type LoadRequest, type LoadResult, runWrk, warmUp } from '../load/wrk.ts'
import { cores } from '../pinned-process.ts'
import { type Spread, spreadOf } from '../statistics.ts'
import { upstreamPaths } from '../upstream.ts'

/** CPU time of a GET, in microseconds, with a remembered token and with a token that was never seen. */
export interface ColdTokensResult {
  readonly gateway: TokenCosts
  /** The gateway of another checkout. */
  readonly beside?: TokenCosts
  /** One RS256 verification by node:crypto, in a process of its own. */
  readonly bareMicroseconds: Spread
}

/** The costs of one gateway. */
export interface TokenCosts {
  readonly rememberedMicroseconds: Spread
  readonly coldMicroseconds: Spread
  /** Never seen less remembered, in the same round, divided by a bare verification of that round. */
  readonly addedToBare: Spread
}

interface Round {
  readonly remembered: number
  readonly cold: number
  readonly bare: number
}

/** A gateway, and the number of tokens that it was sent. */
interface Measured {
  readonly contender: Contender
  sent: number
}

type Send = (measured: Measured, seconds: number) => Promise<LoadResult>

const CONNECTIONS = 32
/** More than the gateway's cache holds, in turn: a repeated token is no longer cached. */
const COLD_TOKENS = 12_000

/** Measures remembered tokens, never-seen tokens and bare verifications in turn. */
export async function measureColdTokens(context: BenchContext): Promise<ColdTokensResult> {
  const { issuer, folder, secondsPerRound } = context
  const tokensFile = join(folder, 'tokens.txt')
  const tokens = Array.from({ length: COLD_TOKENS }, (_, index) => issuer.token({ jti: `cold-${index}` }))
  writeFileSync(tokensFile, `${tokens.join('\n')}\n`)
  const sendRemembered = senderOfRemembered(context)
  const sendCold = senderOfCold(context, tokensFile)
  const running = new Map<'beside' | 'gateway', Measured>()
  const rounds = { beside: [] as Round[], gateway: [] as Round[] }
  try {
    for (const name of context.beside === undefined
      ? (['gateway'] as const)
      : (['beside', 'gateway'] as const)) {
      const setting = { plugins: 'token', issuers: [issuer] } as const
      const contender = await startContender(name, { ...context, nginx: context.programs.nginx }, setting)
      const measured = { contender, sent: 0 }
      running.set(name, measured)
      for (const send of [sendRemembered, sendCold])
        await warmUp((seconds) => send(measured, seconds), secondsPerRound)
    }
    for (let round = 0; round < context.rounds; round += 1) {
      context.tell(`never-seen tokens: round ${round + 1} of ${context.rounds}`)
      for (const [name, measured] of running)
        rounds[name].push({
          remembered: await costOf(measured, sendRemembered, secondsPerRound),
          bare: bareVerification(tokensFile, issuer.jwksFile),
          cold: await costOf(measured, sendCold, secondsPerRound),
        })
    }
  } finally {
    await Promise.all([...running.values()].map(({ contender }) => contender.stop()))
  }
  return {
    gateway: costsOf(rounds.gateway),
    ...(context.beside === undefined ? {} : { beside: costsOf(rounds.beside) }),
    bareMicroseconds: spreadOf([...rounds.gateway, ...rounds.beside].map(({ bare }) => bare)),
  }
}

/** Summarises the rounds of one gateway. */
export function costsOf(rounds: readonly Round[]): TokenCosts {
  return {
    rememberedMicroseconds: spreadOf(rounds.map(({ remembered }) => remembered)),
    coldMicroseconds: spreadOf(rounds.map(({ cold }) => cold)),
    addedToBare: spreadOf(rounds.map(({ remembered, cold, bare }) => (cold - remembered) / bare)),
  }
}

/** From a file too, with one line: the load generator then takes the same time for each request. */
function senderOfRemembered(context: BenchContext): Send {
  const file = join(context.folder, 'remembered.txt')
  writeFileSync(file, `${context.issuer.token({ jti: 'remembered' })}\n`)
  const headerLines = { name: 'Authorization', file, prefix: 'Bearer ', skipped: 0 }
  const request = { method: 'GET', path: upstreamPaths.item, headers: {}, headerLines } as const
  return ({ contender }, seconds) => load(context, request, { port: contender.port, seconds })
}

/** Goes on where the last load ended: from the start again, a slow run would repeat cached tokens. */
function senderOfCold(context: BenchContext, file: string): Send {
  return async (measured, seconds) => {
    const headerLines = { name: 'Authorization', file, prefix: 'Bearer ', skipped: measured.sent }
    const request = { method: 'GET', path: upstreamPaths.item, headers: {}, headerLines } as const
    const result = await load(context, request, { port: measured.contender.port, seconds })
    // Requests under way at the end are not in the result.
    measured.sent += result.requests + CONNECTIONS
    return result
  }
}

async function costOf(measured: Measured, send: Send, seconds: number): Promise<number> {
  const before = cpuMicroseconds(measured.contender.pid)
  const { requests } = await send(measured, seconds)
  return (cpuMicroseconds(measured.contender.pid) - before) / requests
}

async function load(
  { programs, folder, seed }: BenchContext,
  request: LoadRequest,
  { port, seconds }: { readonly port: number; readonly seconds: number },
): Promise<LoadResult> {
  const shape = { port, seconds, connections: CONNECTIONS, seed }
  const result = await runWrk({ wrk: programs.wrk, core: cores.load, folder }, request, shape)
  const { requests, otherAnswers, socketErrors } = result
  if (requests === 0 || otherAnswers > 0 || socketErrors > 0)
    throw new Error(
      `cold-tokens: ${requests} answers, ${otherAnswers} refused, ${socketErrors} socket errors`,
    )
  return result
}

function bareVerification(tokensFile: string, jwksFile: string): number {
  const script = join(import.meta.dirname, '../contenders/bare-verification.ts')
  const node = ['-c', String(cores.measured), process.execPath, script, tokensFile, jwksFile]
  return Number(execFileSync('taskset', node, { encoding: 'utf8' }))
}
