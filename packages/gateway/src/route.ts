import type { RouteConfig } from './config/config-schema.ts'

/** A route of the configuration, ready to be matched. */
export interface Route {
  readonly id: string
  readonly config: RouteConfig
}
