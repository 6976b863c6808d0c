process.stdout.write(`Agentic REST, running on Node ${process.version}.
There is no stack to start yet. What is there:
  packages/profile   the ten outcomes: table, schemas, fixtures, encoder and decoder
  packages/gateway   the gateway, being built
Run \`npm test\` for the tests and \`npm run check\` for types, lint and repository checks.
`)
