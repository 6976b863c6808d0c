import { z } from 'zod'
import { checkDnsServer, checkTarget } from './address-checks.ts'
import {
  checked,
  dictionary,
  expected,
  filledList,
  integer,
  oneOf,
  patterned,
  section,
} from './field-kinds.ts'
import { file } from './marks.ts'

/** Files for TLS towards targets, the same for a route and an upstream. */
export const targetTlsFiles = {
  ca_file: file()
    .optional()
    .describe('PEM file with the authorities trusted for an https target, relative to this file.'),
  client_cert_file: file()
    .optional()
    .describe(
      'PEM file with the certificate chain that the gateway shows an https target, relative to this file; needs client_key_file.',
    ),
  client_key_file: file()
    .optional()
    .describe('PEM file with the private key of client_cert_file, relative to this file.'),
}

const targetUrl = () => checked('a URL', checkTarget)

/** A target with its share of the requests; a URL alone has the weight 1. */
const listedTarget = z.union(
  [
    targetUrl().transform((url) => ({ url, weight: 1 })),
    section({
      url: targetUrl().describe('Base URL of the target; its path is kept in front.'),
      weight: integer(1, 100)
        .default(1)
        .describe('Share of the requests, compared with the weights of the other targets.'),
    }),
  ],
  { error: expected('a URL, or a map with url and weight') },
)

// No colon: the port is a key of its own, and an address needs no look-up.
const hostName = () =>
  patterned(
    'a host name',
    /^(?=.{1,253}$)(?!.*\.\d+$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/,
  )

const dnsServer = () => checked('a DNS server', checkDnsServer)

const dnsSection = section({
  name: hostName().describe('Name whose addresses are the targets: A records, else AAAA records.'),
  port: integer(1, 65_535).describe('Port of every target.'),
  scheme: oneOf(['http', 'https'])
    .default('http')
    .describe('Scheme of every target; certificates are checked against the name.'),
  refresh_seconds: integer(1, 3600).default(10).describe('How often the name is resolved again.'),
  server: dnsServer().optional().describe('DNS server to ask; absent means the servers of the system.'),
})

const healthSection = section({
  path: patterned('a path that starts with /', /^\/[!-~]*$/).describe(
    'Path that a GET asks at every target; 200 to 299 means healthy.',
  ),
  interval_seconds: integer(1, 3600).default(5).describe('Time between two checks of a target.'),
  timeout_ms: integer(1, 60_000).default(1000).describe('Longest wait for the answer to a check.'),
  unhealthy_after: integer(1, 100).default(3).describe('Failed checks in a row that take a target out.'),
  healthy_after: integer(1, 100).default(2).describe('Passed checks in a row that bring it back.'),
})

const ejectSection = section({
  consecutive_failures: integer(1, 1000)
    .default(5)
    .describe('Failed requests in a row that take a target out: no connection, a time-out, an untyped 5xx.'),
  seconds: integer(1, 3600).default(30).describe('How long such a target stays out.'),
  max_percent: integer(0, 100)
    .default(50)
    .describe('Largest part of the targets that failed requests may take out; 0 takes none out.'),
})

const retrySection = section({
  attempts: integer(0, 10)
    .default(1)
    .describe(
      'How often a request may be sent to another target, within its deadline; at most a tenth of the requests of 10 seconds, and always 10.',
    ),
})

/** One entry of `upstreams`. */
export const upstreamSection = section({
  targets: filledList(listedTarget)
    .optional()
    .describe('Base URLs of the targets, each a URL or a map with url and weight; or use dns.'),
  dns: dnsSection.optional().describe('A name whose addresses are the targets, instead of targets.'),
  health: healthSection.optional().describe('Active checks of every target; absent means none.'),
  eject: ejectSection.prefault({}).describe('When failed requests take a target out.'),
  retry: retrySection.prefault({}).describe('When a request is sent to another target.'),
  ...targetTlsFiles,
})

// The name is a metric label and part of the public text of /readyz.
const upstreamName = () =>
  patterned('letters, digits, "_", "-" and ".", at most 64', /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)

/** The section `upstreams`. */
export const upstreamsSection = dictionary(upstreamName(), upstreamSection)
