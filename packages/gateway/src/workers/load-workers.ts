/** What runs a gateway in several processes. It is loaded where that is asked for, and costs nothing elsewhere. */
export function loadWorkers() {
  return import('./room.ts')
}

/** The variable in whose presence a process is a worker of another. */
export const WORKER_VARIABLE = 'AGENTIC_WORKER'
