import { warningKinds } from '@agentic-rest/gateway'

/** Everything `agentic check` can find, by its id, with what it means. */
export const checkRules: Readonly<Record<string, string>> = {
  invalid: 'The file is not a valid configuration.',
  initialisation: 'The file is valid, but a gateway cannot start with it.',
  ...warningKinds,
  'missing-file': 'A file that the configuration names is not on this machine.',
}
