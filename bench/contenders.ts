import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '@agentic-rest/testing/free-port'
import { type GatewaySetting, gatewayConfig } from './contenders/gateway-config.ts'
import { cores, type PinnedProcess, startPinned } from './pinned-process.ts'
import { nginxConfig } from './upstream.ts'

/** The compared programs. */
export const contenderNames = ['nginx', 'floor', 'fastify', 'beside', 'gateway'] as const

/** The name of a compared program. */
export type ContenderName = (typeof contenderNames)[number]

/** A running contender. */
export interface Contender extends PinnedProcess {
  readonly port: number
}

/** The common options of all contenders. */
export interface Surroundings {
  readonly nginx: string
  readonly upstreamPort: number
  readonly folder: string
  readonly core?: number | string
  /** Another checkout; its gateway is the contender `beside`. */
  readonly beside?: string | undefined
}

/** Starts one contender. Only the gateway uses the setting. */
export async function startContender(
  name: ContenderName,
  surroundings: Surroundings,
  setting: GatewaySetting,
): Promise<Contender> {
  const port = await freePort()
  const core = surroundings.core ?? cores.measured
  const upstream = `http://127.0.0.1:${surroundings.upstreamPort}`
  const env = { PORT: String(port), UPSTREAM: upstream, NODE_ENV: 'production' }
  const command = commandOf(name, { ...surroundings, port, setting })
  return { port, ...(await startPinned({ command, core, env, port })) }
}

interface CommandOptions extends Surroundings {
  readonly port: number
  readonly setting: GatewaySetting
}

function commandOf(name: ContenderName, options: CommandOptions): string[] {
  switch (name) {
    case 'nginx':
      return nginxCommand(options)
    case 'floor':
      return [process.execPath, join(import.meta.dirname, 'contenders/floor-proxy.ts')]
    case 'fastify':
      return [process.execPath, join(import.meta.dirname, 'contenders/fastify-proxy.ts')]
    case 'beside':
      return gatewayCommand(options, options.beside)
    case 'gateway':
      return gatewayCommand(options)
  }
}

const ownCheckout = join(import.meta.dirname, '..')

function gatewayCommand(
  { folder, port, upstreamPort, setting }: CommandOptions,
  checkout = ownCheckout,
): string[] {
  const agentic = resolve(checkout, 'packages/cli/bin/agentic.cjs')
  const file = join(folder, `gateway-${port}.yaml`)
  writeFileSync(file, gatewayConfig(setting, { port, upstreamPort }))
  return [process.execPath, agentic, 'start', '-c', file]
}

function nginxCommand({ nginx, folder, port, upstreamPort }: CommandOptions): string[] {
  const own = join(folder, `nginx-${port}`)
  mkdirSync(own, { recursive: true })
  const config = join(own, 'nginx.conf')
  const server = `  upstream service { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location / { proxy_pass http://service; }
    location = /events { proxy_pass http://service; proxy_buffering off; }
  }`
  writeFileSync(config, nginxConfig({ folder: own, server }))
  return [nginx, '-p', own, '-c', config, '-e', join(own, 'errors.log')]
}
