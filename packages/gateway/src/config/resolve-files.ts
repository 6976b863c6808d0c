import { dirname, resolve } from 'node:path'
import type { GatewayConfig, IssuerOptions, RouteConfig } from './config-schema.ts'

/** Makes the file names in a configuration absolute, starting from the folder of the configuration file. */
export const resolveFiles = (config: GatewayConfig, file: string): GatewayConfig => {
  const absolute = (name: string): string => resolve(dirname(file), name)
  const validator = config.plugins['token-validator']
  return {
    gateway: withShared(withTls(config.gateway, absolute), absolute),
    plugins: {
      ...config.plugins,
      'token-validator': {
        ...validator,
        issuers: validator.issuers.map((issuer) => withKeyFile(issuer, absolute)),
      },
    },
    routes: config.routes.map((route) => withAuthorities(route, absolute)),
  }
}

type Absolute = (name: string) => string

const withTls = (gateway: GatewayConfig['gateway'], absolute: Absolute): GatewayConfig['gateway'] => {
  if (gateway.tls === undefined) return gateway
  const { cert_file, key_file } = gateway.tls
  return { ...gateway, tls: { cert_file: absolute(cert_file), key_file: absolute(key_file) } }
}

const withShared = (gateway: GatewayConfig['gateway'], absolute: Absolute): GatewayConfig['gateway'] => {
  if (gateway.shared?.ca_file === undefined) return gateway
  return { ...gateway, shared: { ...gateway.shared, ca_file: absolute(gateway.shared.ca_file) } }
}

const withKeyFile = (issuer: IssuerOptions, absolute: Absolute): IssuerOptions =>
  issuer.jwks_file === undefined ? issuer : { ...issuer, jwks_file: absolute(issuer.jwks_file) }

const withAuthorities = (route: RouteConfig, absolute: Absolute): RouteConfig =>
  route.ca_file === undefined ? route : { ...route, ca_file: absolute(route.ca_file) }
