import type { GatewayConfig } from './config-schema.ts'
import { isPresent } from './draft.ts'
import type { Unwise } from './warnings.ts'

/**
 * Finds routes that forward the caller's token without saying so in the file: a service with it can act as the caller
 * everywhere. Without token validation there is no token to protect.
 */
export const unsaidForwarding = ({ plugins, routes }: GatewayConfig, value: unknown): readonly Unwise[] => {
  if (plugins['token-validator'].mode !== 'on') return []
  return routes.flatMap(({ forwardAuthorization }, index): Unwise[] => {
    const path = ['routes', index, 'forwardAuthorization']
    if (!forwardAuthorization || isPresent(value, path)) return []
    const message =
      "is not set, so that the service gets the caller's token and can act as the caller; set false, or true if the service needs the token"
    return [{ id: 'token-forwarded', path, message }]
  })
}
