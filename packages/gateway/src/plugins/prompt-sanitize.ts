import type { PromptSanitizeOptions } from '../config/config-schema.ts'
import { InitialisationError, type Plugin, type PluginContext } from '../plugin.ts'

/** Being written: until it can act, rules are refused at start. */
export function promptSanitize(options: PromptSanitizeOptions, _context: PluginContext): Plugin {
  if (options.rules.length > 0) throw new InitialisationError('prompt-sanitize cannot act yet')
  return { name: 'prompt-sanitize', request: () => undefined }
}
