import { registerHooks } from 'node:module'

// vitest hands the condition `import` of its configuration on to Node, where it then also holds for `require`. `pg`
// requires `pg-pool`, which has a file for each of the two and must get the one that it asked for.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'pg-pool') return next(specifier, context)
    return next(specifier, { ...context, conditions: context.conditions.filter((each) => each !== 'import') })
  },
})

const { Client } = await import('pg')

/** A direct connection to PostgreSQL, without the store. */
export const PostgresClient = Client
