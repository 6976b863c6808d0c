import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@agentic-rest/testing/free-port'
import { type ProgramName, programPath } from '@agentic-rest/testing/programs'
import { type PinnedProcess, startPinned } from '../../bench/pinned-process.ts'
import { nginxConfig } from '../../bench/upstream.ts'
import { type Recorder, startNodeRecorder, startStrictRecorder, startTap } from './recorders.ts'

/** A server behind the gateway: the requests it got, the requests it read, and its log. */
export interface Observed {
  readonly name: string
  /** The requests sent by the gateway, read strictly. */
  readonly tap: Recorder
  /** The requests it forwarded, or for Node the requests of its handler. */
  readonly recorder: Recorder
  /** Ids and targets of the requests logged as successful; undefined for a server without a log. */
  logged(): readonly LoggedRequest[] | undefined
  stop(): Promise<void>
}

/** One line of an access log. */
export interface LoggedRequest {
  readonly requestLine: string
  readonly requestId: string
}

/** The servers from Debian packages. */
export const programs: Readonly<Record<'nginx' | 'haproxy' | 'apache', ProgramName>> = {
  nginx: 'nginx',
  haproxy: 'haproxy',
  apache: 'apache2',
}

/** Starts all four servers, each with a tap before it and, except for Node, a recorder behind it. */
export async function startServers(folder: string): Promise<Observed[]> {
  const paths = Object.fromEntries(
    Object.entries(programs).map(([name, needed]) => [name, programPath(needed)]),
  )
  // It starts all of them.
  programPath('taskset')
  const started = await Promise.allSettled([
    startNode(),
    ...Object.entries(proxies).map(([name, proxy]) =>
      startProxy(name, { proxy, program: paths[name] ?? '', folder: join(folder, name) }),
    ),
  ])
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failed = started.find((each) => each.status === 'rejected')
  if (failed === undefined) return running
  await Promise.all(running.map((each) => each.stop()))
  throw failed.reason
}

async function startNode(): Promise<Observed> {
  const recorder = await startNodeRecorder()
  const tap = await startTap(recorder.port)
  const stop = async () => {
    tap.stop()
    recorder.stop()
  }
  return { name: 'node', tap, recorder, logged: () => undefined, stop }
}

interface Places {
  readonly folder: string
  readonly port: number
  readonly recorderPort: number
  /** The file of the access log. Each line has the request line, the status and the request id, with tabs between. */
  readonly log: string
}

interface Proxy {
  config(places: Places): string
  command(program: string, config: string, places: Places): readonly string[]
}

interface ProxyOptions {
  readonly proxy: Proxy
  readonly program: string
  readonly folder: string
}

async function startProxy(name: string, { proxy, program, folder }: ProxyOptions): Promise<Observed> {
  mkdirSync(folder, { recursive: true })
  const recorder = await startStrictRecorder()
  const places = {
    folder,
    port: await freePort(),
    recorderPort: recorder.port,
    log: join(folder, 'access.log'),
  }
  const config = join(folder, 'server.conf')
  writeFileSync(config, proxy.config(places))
  const server = await startPinned({
    command: proxy.command(program, config, places),
    core: '0-1023',
    port: places.port,
  })
  const tap = await startTap(places.port)
  return {
    name,
    tap,
    recorder,
    logged: () => readLog(places.log),
    stop: () => stopAll(server, [tap, recorder]),
  }
}

async function stopAll(server: PinnedProcess, recorders: readonly Recorder[]): Promise<void> {
  for (const recorder of recorders) recorder.stop()
  await server.stop()
}

function readLog(file: string): LoggedRequest[] {
  return readFileSync(file, 'latin1')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, status]) => status === '200')
    .map(([requestLine = '', , requestId = '']) => ({ requestLine, requestId }))
}

const proxies: Readonly<Record<keyof typeof programs, Proxy>> = {
  nginx: {
    config: ({ folder, port, recorderPort, log }) =>
      nginxConfig({
        folder,
        server: `
  log_format seen '$request\t$status\t$http_x_request_id';
  upstream recorder { server 127.0.0.1:${recorderPort}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    access_log ${log} seen;
    large_client_header_buffers 8 64k;
    underscores_in_headers on;
    location / {
      proxy_pass http://recorder;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
    }
  }`,
      }),
    command: (program, config, { folder }) => [
      program,
      '-p',
      folder,
      '-c',
      config,
      '-e',
      join(folder, 'errors.log'),
    ],
  },
  haproxy: {
    config: ({ port, recorderPort }) => `global
  log stdout format raw local0
  maxconn 2000
  tune.bufsize 65536
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend taken
  bind 127.0.0.1:${port}
  log global
  http-request capture req.hdr(X-Request-ID) len 300
  log-format "%HM %HU %HV\t%ST\t%[capture.req.hdr(0)]"
  default_backend recorder
backend recorder
  server recorder 127.0.0.1:${recorderPort}
`,
    command: (program, config, { log }) => ['sh', '-c', 'exec "$0" -db -f "$1" > "$2"', program, config, log],
  },
  apache: {
    config: ({ folder, port, recorderPort, log }) => `ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
Mutex pthread
${['mpm_event', 'authz_core', 'proxy', 'proxy_http'].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
User www-data
Group www-data
ErrorLog ${folder}/errors.log
LogFormat "%r\\t%>s\\t%{X-Request-ID}i" seen
CustomLog ${log} seen
KeepAlive On
KeepAliveTimeout 60
MaxKeepAliveRequests 0
LimitRequestLine 65000
LimitRequestFieldSize 65000
AllowEncodedSlashes NoDecode
ProxyAddHeaders Off
ProxyPreserveHost On
ProxyPass / http://127.0.0.1:${recorderPort}/ nocanon
`,
    command: (program, config) => [program, '-X', '-f', config],
  },
}
