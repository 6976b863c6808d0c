/**
 * A UUID v4. Browsers offer `crypto.randomUUID` only to pages of secure origins, and an intranet page may not be one.
 */
export function createId(): string {
  const random = crypto.getRandomValues(new Uint8Array(36))
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (kind, index) => {
    const digit = (random[index] ?? 0) & 15
    return (kind === 'x' ? digit : (digit & 3) | 8).toString(16)
  })
}
