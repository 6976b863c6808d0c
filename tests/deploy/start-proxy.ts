import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@agentic-rest/testing/free-port'
import { programPath } from '@agentic-rest/testing/programs'
import { onTestFinished } from 'vitest'
import { startPinned } from '../../bench/pinned-process.ts'
import { nginxConfig } from '../../bench/upstream.ts'
import { repositoryRoot } from '../../tools/packed-packages.ts'

/** The proxies of Debian that a test can put before gateways. */
export const proxies = ['nginx', 'haproxy'] as const

/** The name of a proxy. */
export type ProxyName = (typeof proxies)[number]

const files: Readonly<Record<ProxyName, string>> = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg' }

/**
 * Starts a proxy before two gateways with its file in `deploy/proxy`, with other addresses; returns its URL. It ends with
 * the test.
 */
export async function startProxy(name: ProxyName, gateways: readonly [number, number]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-proxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const text = readFileSync(join(repositoryRoot, 'deploy/proxy', files[name]), 'utf8')
    .replace(/^( *)(listen|bind) :?80\b/m, `$1$2 127.0.0.1:${port}`)
    .replace('10.0.0.11:8080', `127.0.0.1:${gateways[0]}`)
    .replace('10.0.0.12:8080', `127.0.0.1:${gateways[1]}`)
  const config = join(folder, 'proxy.conf')
  writeFileSync(config, name === 'nginx' ? nginxConfig({ folder, server: text }) : text)
  const options =
    name === 'nginx' ? ['-p', folder, '-c', config, '-e', join(folder, 'errors.log')] : ['-db', '-f', config]
  const { stop } = await startPinned({ command: [programPath(name), ...options], core: '0-1023', port })
  onTestFinished(stop)
  return `http://127.0.0.1:${port}`
}
