#!/usr/bin/env node
// Plain JavaScript that Node 12 can still read, so that an old version gets an answer and not a syntax error.
'use strict'

const required = 24

if (Number(process.versions.node.split('.')[0]) < required) {
  process.stderr.write(
    'agentic needs Node ' +
      required +
      ' or newer, and this is ' +
      process.version +
      '.\n' +
      'Install it from https://nodejs.org/en/download or with a version manager, for example: nvm install ' +
      required +
      '\n' +
      'In a checkout of Agentic REST on Linux, npm install brings it along: use npx agentic.\n',
  )
  process.exit(1)
} else {
  useSourceInCheckout()
  import('agentic-rest').then(({ runProcess }) => runProcess(process))
}

// A checkout has the build's project file and may have no build; a published package is the other way round.
function useSourceInCheckout() {
  const { existsSync } = require('node:fs')
  const { join } = require('node:path')
  if (!existsSync(join(__dirname, '../tsconfig.build.json'))) return
  require('node:module').registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ['agentic-source', ...context.conditions] }),
  })
}
