export { runAgentic, runProcess } from './agentic.ts'
export type { Host } from './host.ts'
