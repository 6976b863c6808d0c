export { createPrimary, type Primary, type PrimaryOptions } from './primary.ts'
export { joinPrimary, type WorkerWorld } from './worker.ts'
export type { WorkerProgram } from './worker-process.ts'
