/** One fault of a file, at a JSON Pointer. */
export interface FileFault {
  readonly pointer: string
  /** Stable: what kind of fault it is. */
  readonly rule: string
  readonly message: string
}

/** A JSON Pointer to a member, whatever its name. */
export function below(pointer: string, ...steps: readonly (string | number)[]): string {
  return steps.reduce<string>(
    (path, step) => `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  )
}

/** Whether a value is an object with members, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
