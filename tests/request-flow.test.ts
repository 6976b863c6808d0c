import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCodes } from '../packages/gateway/src/errors.ts'
import { repositoryRoot } from '../tools/packed-packages.ts'
import { nameOf, readSource, visitNodes } from '../tools/source-file.ts'

const page = readFileSync(join(repositoryRoot, 'docs/request-flow.md'), 'utf8')
const source = 'packages/gateway/src'

/** The names in inline code of one section of the page. */
function namesIn(heading: string, form: RegExp): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...new Set([...own.matchAll(form)].map(([, name = '']) => name))].toSorted()
}

function fieldsOfExchange(): string[] {
  const fields: string[] = []
  visitNodes(readSource(repositoryRoot, `${source}/exchange.ts`).program, function collectFields(node) {
    if (node.type !== 'ClassDeclaration' || node.id?.name !== 'Exchange') return
    for (const member of node.body.body)
      if (member.type === 'PropertyDefinition') fields.push(nameOf(member.key) ?? '')
  })
  return fields.toSorted()
}

/** The functions called by `handle`, with their files. */
function stepsOfHandle(): string[] {
  const { program, text } = readSource(repositoryRoot, `${source}/line/handle.ts`)
  const called = new Set<string>()
  visitNodes(program, function collectCalls(node, ancestors) {
    const isInHandle = ancestors.some(
      (outer) => outer.type === 'FunctionDeclaration' && outer.id?.name === 'handle',
    )
    if (isInHandle && node.type === 'CallExpression') called.add(nameOf(node.callee) ?? '')
  })
  return [...text.matchAll(/^import \{([^}]*)\} from '\.\/([\w./-]+)'/gm)]
    .filter(([, names = '']) => names.split(',').some((name) => called.has(name.trim())))
    .map(([, , file = '']) => file)
}

test('the page names every field of the exchange and no other', () => {
  const others = ['finish', 'respond', 'Exchange']
  const named = namesIn('The one object', /`(\w+)`/g).filter((name) => !others.includes(name))
  expect(named).toEqual(fieldsOfExchange())
})

test('the page links every file that the line calls', () => {
  const files = stepsOfHandle()
  expect(files).toEqual(expect.arrayContaining(['admit.ts', 'route.ts', 'respond.ts']))
  for (const file of files) expect(page).toContain(`(../${source}/line/${file})`)
})

test('every code that ends the line is one of the gateway', () => {
  const codes = namesIn('What ends the line early', /`([A-Z][A-Z_]+_[A-Z]+|OVERLOADED)`/g)
  expect(codes).toContain('EXECUTION_TIMEOUT')
  expect(Object.keys(errorCodes)).toEqual(expect.arrayContaining(codes))
})
