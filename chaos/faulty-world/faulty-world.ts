import { readFileSync } from 'node:fs'
import { headers } from '@agentic-rest/profile'
import { type OpenServer, openServer } from '@agentic-rest/testing/open-server'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { createIssuer, type Issuer } from '../../bench/tokens.ts'
import { type Collector, startCollector } from '../../packages/gateway/test/plugins/otel-audit/collector.ts'
import { requestIdIn } from '../caller.ts'
import { type CountingUpstream, startCountingUpstream } from '../counting-upstream.ts'
import { type FaultChooser, type FaultProxy, startFaultProxy } from '../fault-proxy.ts'
import { type Fault, faultNamed, faults } from '../faults.ts'
import { type FaultyAddress, openFaultyAddress } from '../faulty-address.ts'
import { createSeeded } from '../seeded.ts'

/** A gateway with faulty services, key server, directory and collector. */
export interface FaultyWorld {
  readonly gateway: GatewayProcess
  readonly upstream: CountingUpstream
  readonly collector: Collector
  /** The fault proxies in front of services, key server, directory and collector. */
  readonly proxies: Readonly<Record<'services' | 'keys' | 'directory' | 'collector', FaultProxy>>
  /** The ids of requests with a fault between gateway and services. */
  readonly struck: Set<string>
  /** The addresses with a fault before any request is read. */
  readonly openings: readonly OpeningAddress[]
  /** A token of a kind; the number selects a person. */
  token(kind: TokenKind, number: number): string
  /** The path to a fault, or to none. */
  pathTo(kind: string, fault: Fault | undefined): string
  close(): Promise<void>
}

/**
 * A service token with the tenant in the request, a person's token with a tenant lookup, a token with an unknown key id,
 * and a token with a wrong signature, different each time.
 */
export type TokenKind = 'service' | 'person' | 'unknownKey' | 'forged'

/** The faults of a world. */
export interface FaultyWorldOptions {
  readonly folder: string
  readonly seed: number
  readonly deadlineSeconds: number
  /** The share of failing calls to directory, key server and collector, from 0 to 1. */
  readonly share: number
  /** The collector may also be silent until an export times out. */
  readonly longHangs: boolean
  readonly nodeArguments?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Starts the gateway and everything around it. */
export async function startFaultyWorld(options: FaultyWorldOptions): Promise<FaultyWorld> {
  const closing: (() => unknown)[] = []
  const own = <T extends { close(): unknown }>(part: T): T => {
    closing.unshift(() => part.close())
    return part
  }
  const close = async () => void (await Promise.all(closing.map((end) => end())))
  try {
    const upstream = own(await startCountingUpstream())
    const collector = await startCollector()
    closing.unshift(() => collector.kill())
    const issuers = [
      createIssuer(options.folder, 'services'),
      createIssuer(options.folder, 'people'),
    ] as const
    const [service, people] = issuers
    const lookups = own(await startLookups(issuers))
    const struck = new Set<string>()
    const proxies = {
      services: own(await startFaultProxy({ target: upstream.port, chooser: strikeByPath(struck) })),
      keys: own(await startFaultProxy({ target: lookups.port })),
      directory: own(await startFaultProxy({ target: lookups.port })),
      collector: own(await startFaultProxy({ target: collector.port })),
    }
    const addresses = await openAddresses(upstream.port)
    for (const { address } of addresses) own(address)
    const gateway = await startGatewayProcess({
      folder: options.folder,
      nodeArguments: options.nodeArguments ?? [],
      env: options.env ?? {},
      config: configuration({ options, proxies, issuers, addresses }),
    })
    closing.unshift(() => gateway.stop())
    failNeighbours(proxies, options)
    return {
      gateway,
      upstream,
      collector,
      proxies,
      struck,
      openings: addresses,
      token: makeTokens(service, people),
      pathTo: (kind, fault) => {
        const name = fault?.name ?? 'none'
        return fault !== undefined && isOpening(fault) ? `/at-${name}/${kind}` : `/${kind}/${name}/1`
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const isOpening = ({ opening, listener }: Fault) => opening !== undefined || listener !== undefined

const PEOPLE = 200

/** Lookups of one person are merged, so many people are needed for many calls. */
function makeTokens(service: Issuer, people: Issuer): FaultyWorld['token'] {
  const persons = Array.from({ length: PEOPLE }, (_, index) => people.token({ sub: `person-${index}` }))
  // Without a tenant claim, so that the tenant of the request counts.
  const others = { service: service.token({ tenant_id: undefined }), unknownKey: rekeyed(people) }
  return (kind, number) => {
    if (kind === 'person') return persons[number % PEOPLE] ?? ''
    return kind === 'forged' ? forged(others.service, number) : others[kind]
  }
}

const PATH = /^[A-Z]+ \/\w+\/([a-z-]+)\//

/** The path of a request names its fault. */
function strikeByPath(struck: Set<string>): FaultChooser {
  return {
    onTurn(bytes) {
      const [, name = ''] = PATH.exec(bytes.toString('latin1', 0, 100)) ?? []
      const fault = faultNamed(name)
      if (fault !== undefined) struck.add(requestIdIn(bytes.toString('latin1')))
      return fault
    },
  }
}

/** An address with its fault. */
export interface OpeningAddress {
  readonly fault: Fault
  readonly address: FaultyAddress
}

/** Opening faults come before the path is read, so each has its own address. */
async function openAddresses(target: number): Promise<OpeningAddress[]> {
  return await Promise.all(
    faults
      .filter(isOpening)
      .map(async (fault) => ({ fault, address: await openFaultyAddress(fault, target) })),
  )
}

/** Fails a share of the calls to key server, directory and collector. */
function failNeighbours(
  proxies: FaultyWorld['proxies'],
  { seed, share, longHangs }: FaultyWorldOptions,
): void {
  const wired = faults.filter((fault) => fault.listener === undefined)
  const short = wired.filter((fault) => !fault.hangs)
  for (const [stream, proxy] of [proxies.keys, proxies.directory, proxies.collector].entries()) {
    const seeded = createSeeded(seed, 100 + stream)
    const choices = proxy === proxies.collector && !longHangs ? short : wired
    const choose = () => (seeded.chance(share) ? seeded.pick(choices) : undefined)
    proxy.choose({ onConnection: choose, onTurn: choose })
  }
}

/** The directory knows every person; the keys of each issuer are below its name. */
async function startLookups(issuers: readonly Issuer[]): Promise<OpenServer> {
  const keys = new Map(issuers.map(({ issuer, jwksFile }) => [new URL(issuer).host, readFileSync(jwksFile)]))
  return await openServer((request, response) => {
    const jwks = keys.get(request.url?.slice('/keys/'.length) ?? '')
    response.setHeader(headers.contentType, 'application/json')
    response.end(jwks ?? '{"tenant_id":"acme"}')
  })
}

/** The same token with an unknown key id: the gateway fetches the keys again, within its limits. */
function rekeyed(issuer: Issuer): string {
  const [, claims, signature] = issuer.token().split('.')
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'at+jwt', kid: 'nobodys' }))
  return [header.toString('base64url'), claims, signature].join('.')
}

function forged(token: string, number: number): string {
  const end = token.lastIndexOf('.') + 1
  const wrong = Buffer.from(String(number).padStart(12, '0')).toString('base64url')
  return token.slice(0, end) + wrong + token.slice(end + wrong.length)
}

interface Neighbours {
  readonly options: FaultyWorldOptions
  readonly proxies: FaultyWorld['proxies']
  readonly issuers: readonly [Issuer, Issuer]
  readonly addresses: readonly OpeningAddress[]
}

function configuration({ options, proxies, issuers, addresses }: Neighbours) {
  const issuer = ({ issuer: name }: Issuer, service: boolean) => ({
    issuer: name,
    jwks_uri: `http://127.0.0.1:${proxies.keys.port}/keys/${new URL(name).host}`,
    audience: ['agentic'],
    service_account: service,
  })
  // No cache, so that every request asks the directory.
  const webhook = {
    url: `http://127.0.0.1:${proxies.directory.port}/principals/{principal}`,
    cache_ttl_seconds: 0,
    negative_ttl_seconds: 0,
  }
  return {
    gateway: { llm: { max_sse_connections_per_tenant: 1000 } },
    plugins: {
      'token-validator': { issuers: [issuer(issuers[0], true), issuer(issuers[1], false)] },
      'tenant-injector': { webhook },
      'prompt-sanitize': {
        rules: [
          { name: 'email', builtin: 'email' },
          { name: 'names', keywords: ['ignore previous instructions'] },
        ],
      },
      'otel-audit': {
        exporter: 'otlp',
        otlp_endpoint: `http://127.0.0.1:${proxies.collector.port}`,
        include_rejected: true,
      },
    },
    routes: routes(options, proxies.services.port, addresses),
  }
}

function routes({ deadlineSeconds }: FaultyWorldOptions, port: number, addresses: readonly OpeningAddress[]) {
  const common = { executionTimeoutSeconds: deadlineSeconds, conformance: 'enforce' }
  const target = `http://127.0.0.1:${port}`
  const kinds = ['items', 'questions', 'events'].flatMap((kind) =>
    ['GET', 'POST'].map((method) => ({
      id: `${method} ${kind}`,
      method,
      path: `/${kind}/{fault}/{number}`,
      target,
      ...(kind === 'events' && { mode: 'sse' }),
      ...common,
    })),
  )
  const openings = addresses.flatMap(({ fault, address }) =>
    ['GET', 'POST'].map((method) => ({
      id: `${method} ${fault.name}`,
      method,
      path: `/at-${fault.name}/{kind}`,
      target: `http://127.0.0.1:${address.port}`,
      ...common,
    })),
  )
  return [...kinds, ...openings]
}
