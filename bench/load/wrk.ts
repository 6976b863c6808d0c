import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** One kind of request. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** A file with one value per line; each request takes the next line as the header's value, after `skipped` lines. */
  readonly headerLines?: HeaderLines
}

/** The values of a header. */
export interface HeaderLines {
  readonly name: string
  readonly file: string
  readonly prefix: string
  readonly skipped: number
}

/** The strength of the load. */
export interface LoadShape {
  readonly port: number
  readonly seconds: number
  readonly connections: number
  /** The average pause of each connection between two requests; no pause by default. */
  readonly pauseMs?: number
  readonly seed: number
}

/** The results of wrk. */
export interface LoadResult {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers outside 2xx and 3xx. */
  readonly otherAnswers: number
  readonly socketErrors: number
}

const run = promisify(execFile)

/** Sends requests with wrk on the load core. */
export async function runWrk(
  { wrk, core, folder }: { readonly wrk: string; readonly core: number; readonly folder: string },
  request: LoadRequest,
  shape: LoadShape,
): Promise<LoadResult> {
  const script = join(folder, 'request.lua')
  writeFileSync(script, luaScript(request, shape))
  const options = ['-t1', `-c${shape.connections}`, `-d${shape.seconds}s`, '--timeout', '20s', '-s', script]
  const url = `http://127.0.0.1:${shape.port}${request.path}`
  const { stdout } = await run('taskset', ['-c', String(core), wrk, ...options, url])
  return parseResult(stdout)
}

function parseResult(output: string): LoadResult {
  const line = /^RESULT (.+)$/m.exec(output)?.[1]
  if (line === undefined) throw new Error(`wrk printed no result:\n${output}`)
  return JSON.parse(line) as LoadResult
}

function luaScript(request: LoadRequest, { pauseMs, seed }: LoadShape): string {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`,
  )
  return [
    `wrk.method = ${lua(request.method)}`,
    ...headers,
    ...(request.body === undefined ? [] : [`wrk.body = ${lua(request.body)}`]),
    ...(request.headerLines === undefined ? [] : [linesScript(request)]),
    ...(pauseMs === undefined ? [] : [pauseScript(pauseMs, seed)]),
    RESULT_SCRIPT,
  ].join('\n')
}

/** A new value for every request: wrk builds the request text each time. */
function linesScript({ headerLines }: LoadRequest): string {
  const { name = '', file = '', prefix = '', skipped = 0 } = headerLines ?? {}
  return `local lines = {}
for line in io.lines(${lua(file)}) do lines[#lines + 1] = line end
local turn = ${skipped}
function request()
  turn = turn % #lines + 1
  wrk.headers[${lua(name)}] = ${lua(prefix)} .. lines[turn]
  return wrk.format()
end`
}

/** Exponential pauses: requests arrive at random, as from many independent clients. */
function pauseScript(pauseMs: number, seed: number): string {
  return `function init() math.randomseed(${seed}) end
function delay() return math.min(${pauseMs * 8}, -math.log(1 - math.random()) * ${pauseMs}) end`
}

const RESULT_SCRIPT = `function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"requestsPerSecond":%.1f,"p50Ms":%.4f,"p99Ms":%.4f,"otherAnswers":%d,"socketErrors":%d}\\n',
    summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end`

/** For these texts, JSON and Lua have the same escapes. */
function lua(text: string): string {
  return JSON.stringify(text)
}

/**
 * V8 compiles code while it runs, and a larger program takes longer. With a fixed time, the fastest program would be the
 * warmest. Warm-up therefore ends after a number of requests, or after three rounds' time for slow requests.
 */
const WARM_UP_REQUESTS = 60_000
/** The longest warm-up, in rounds. */
export const WARM_UP_ROUNDS = 3

/** Sends requests, one second at a time, until a program is warm. */
export async function warmUp(
  send: (seconds: number) => Promise<Pick<LoadResult, 'requests'>>,
  secondsPerRound: number,
  wanted = WARM_UP_REQUESTS,
): Promise<void> {
  let sent = 0
  for (let second = 0; sent < wanted && second < WARM_UP_ROUNDS * secondsPerRound; second += 1)
    sent += (await send(1)).requests
}
