export { runAgentic } from './agentic.ts'
export { type Host, runProcess } from './host.ts'
