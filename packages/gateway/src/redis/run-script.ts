import { createHash } from 'node:crypto'
import type { RedisClient } from './redis-client.ts'

/** A script of Redis and the digest that Redis knows it by. */
export interface Script {
  readonly text: string
  readonly digest: string
}

/** The arguments of a script: `KEYS` and `ARGV`. */
export interface ScriptCall {
  readonly keys: readonly string[]
  readonly words: readonly string[]
}

/** Defines a script. */
export function defineScript(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') }
}

/** Runs a script by its digest; sends the text only to a Redis that does not have it. `Answer` is what the script returns. */
export async function runScript<Answer>(
  client: RedisClient,
  { text, digest }: Script,
  { keys, words }: ScriptCall,
): Promise<Answer> {
  const options = { keys: [...keys], arguments: [...words] }
  try {
    return (await client.evalSha(digest, options)) as unknown as Answer
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return (await client.eval(text, options)) as unknown as Answer
  }
}
