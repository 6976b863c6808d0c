export {
  auditFromEnvironment,
  type ClosableAudit,
  type Environment,
  storeFromEnvironment,
} from './node-environment.ts'
export { type Closable, type Served, type ServeOptions, serve } from './node-serve.ts'
