/**
 * Whether this is `npm run test:long`. A file `X.long.test.ts` imports `X.all.test.ts`, which then runs in full instead of
 * a sample.
 */
export const isLongSet = process.env['AGENTIC_LONG_TESTS'] === '1'
