process.stdout.write(`Agentic REST, running on Node ${process.version}.
There is no stack to start yet. What is there:
  packages/profile   the ten outcomes: table, schemas, fixtures, encoder and decoder
  packages/gateway   the gateway
  packages/cli       the command line: a gateway of your own with \`npx agentic start -c gateway.yaml\`
docs/configuration.md tells what goes into gateway.yaml, docs/examples has files to begin with.
Run \`npm test\` for the tests and \`npm run check\` for types, lint and repository checks.
`)
