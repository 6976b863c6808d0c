import { formatJson } from './format.ts'

/** Saves a value as a JSON file. `name` gets the time, so that two files differ. */
export function downloadJson(name: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([`${formatJson(value)}\n`], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}-${new Date().toISOString().replace(/[:.]/g, '-')}.json`
  link.click()
  // The browser has read the address by the next task.
  setTimeout(() => URL.revokeObjectURL(url))
}
