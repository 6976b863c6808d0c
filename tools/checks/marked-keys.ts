import { configJsonSchema } from '../../packages/gateway/src/config/json-schema.ts'
import { type ConfigurationKey, configurationKeys, type KeySchema } from '../configuration-keys.ts'
import type { Fault } from '../fault.ts'

const FILE = /(?:^|_)(?:files?|module)$/
const SECRET = /secret|password|passphrase|credential|api_?key|private|redis_url|^headers$/i

/** Keys of the configuration that are named like a file or a secret are marked as one: hiding and resolving need it. */
export function markedKeys(
  keys: readonly ConfigurationKey[] = configurationKeys(configJsonSchema() as KeySchema),
): Fault[] {
  return keys.filter(isUnmarkedText).flatMap(({ path }) => {
    const name = path.split('.').at(-1) ?? ''
    if (FILE.test(name)) return [faultOf(path, 'a file: use file() or secretFile()')]
    return SECRET.test(name) ? [faultOf(path, 'a secret: use secret()')] : []
  })
}

/** A marked text is called a file name or a secret. */
function isUnmarkedText({ type }: ConfigurationKey): boolean {
  return /\btexts?\b/.test(type)
}

function faultOf(path: string, what: string): Fault {
  const message = `the key ${path} is named like ${what}`
  return { path: 'packages/gateway/src/config/schema', line: 1, message }
}
