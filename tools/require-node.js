// Plain JavaScript, so that old versions of Node print this message instead of a syntax error.
const required = 24
const running = Number(process.versions.node.split('.')[0])

if (running < required) {
  process.stderr.write(
    `Agentic REST needs Node ${required} or newer and this is ${process.version}.\n` +
      'Run `npm install` (it brings Node 24 for Linux) and use npm scripts or `npx node`; elsewhere install Node 24.\n',
  )
  process.exit(1)
}
