import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Requests of one kind. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Files with one value a line; the header takes the next line with each request. */
  readonly headerLines?: { readonly name: string; readonly file: string; readonly prefix: string }
}

/** How hard to send them. */
export interface LoadShape {
  readonly port: number
  readonly seconds: number
  readonly connections: number
  /** Each connection waits so long, on average, before its next request; none when absent. */
  readonly pauseMs?: number
  readonly seed: number
}

/** What wrk saw. */
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

/** Sends requests with wrk on the core for load. */
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

/** A new value with every request: wrk makes the request text each time. */
function linesScript({ headerLines }: LoadRequest): string {
  const { name = '', file = '', prefix = '' } = headerLines ?? {}
  return `local lines = {}
for line in io.lines(${lua(file)}) do lines[#lines + 1] = line end
local turn = 0
function request()
  turn = turn % #lines + 1
  wrk.headers[${lua(name)}] = ${lua(prefix)} .. lines[turn]
  return wrk.format()
end`
}

/** Exponential pauses: requests come at random, as they do from many clients that know nothing of each other. */
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

/** JSON's escapes of what is sent here are Lua's too. */
function lua(text: string): string {
  return JSON.stringify(text)
}
