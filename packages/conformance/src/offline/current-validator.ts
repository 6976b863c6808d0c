import { createBodyValidator } from '@agentic-rest/profile/validate'

/** The schemas of the current version; each is compiled once, when the first body needs it. */
export const currentValidator = createBodyValidator()
