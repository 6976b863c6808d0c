export { type Outcome, printable } from '@agentic-rest/profile'
export type { AdminOptions } from './admin/admin.ts'
export type { DevelopmentAccess, GivenToken, Person, TokenWish } from './admin/development-access.ts'
export type { RecordTaker } from './admin/recent-exchanges.ts'
export type { GatewayConfig, RouteConfig } from './config/config-schema.ts'
export {
  type ConfigFault,
  formatFaults,
  formatPath,
  type Path as ConfigPath,
} from './config/faults.ts'
export { loadConfig, watchConfig } from './config/load-config.ts'
export { type ConfigResult, type NamedFile, parseConfig } from './config/parse-config.ts'
export { METHODS as routeMethods } from './config/schema/route-section.ts'
export { type ConfigWarning, type LoadedConfig, type WarningId, warningKinds } from './config/warnings.ts'
export { errorCodes, InitialisationError, validationFailed } from './errors.ts'
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
export type { ConfigSource, ReloadResult } from './lifetime/reload.ts'
export { type StartFault, startFaults } from './lifetime/start-faults.ts'
export { type RouteTrial, type TrialOptions, type TriedRequest, tryRoute } from './line/try-route.ts'
export { createLog, type Log, type LogFields, type LogLevel, type LogOptions, logLevels } from './log.ts'
export { type ListedRoute, type MissingTool, readTools, type ToolListing } from './mcp/read-tools.ts'
export type { PluginPlan } from './plugin.ts'
export {
  definePlugin,
  type Exchange,
  type Plugin,
  type PluginAudit,
  type PluginBody,
  type PluginContext,
  type PluginDefinition,
  type PluginHooks,
  type PluginIdentity,
  type PluginResult,
  type PluginRoute,
} from './plugins/custom/define-plugin.ts'
export { loadForCheck } from './plugins/custom/load-for-check.ts'
export {
  type GivenPlugin,
  type LoadedPlugin,
  type LoadedResult,
  loadPlugins,
  type PluginPlace,
} from './plugins/custom/load-plugins.ts'
export type { PlannedPlugin } from './plugins/plugin-set.ts'

/** Loads the supervisor of a gateway with several processes. Only those who use it pay for it. */
export function loadSupervisor() {
  return import('./workers/supervisor.ts')
}

/** Loads the worker of such a gateway. */
export function loadWorker() {
  return import('./workers/worker.ts')
}
