import { posix } from 'node:path'
import type { ArrowFunctionExpression, Class, Comment, Declaration, ExportSpecifier, Node } from 'oxc-parser'
import { type Fault, formatFault, lineAt } from './fault.ts'
import { nameOf, plainText, readSource, type SourceFile } from './source-file.ts'

/** The kinds of exports, in the order of a page. */
export const declarationKinds = ['function', 'class', 'constant', 'type'] as const

/** One of the kinds of exports. */
export type DeclarationKind = (typeof declarationKinds)[number]

/** An export with the text that a reader needs of its declaration. */
export interface ExportedDeclaration {
  readonly type: 'declaration'
  readonly name: string
  readonly kind: DeclarationKind
  /** The text of the doc comment, without its stars. */
  readonly comment: string
  /** The declaration as in the source, without `export` and without bodies of functions. */
  readonly signature: string
}

/** An export of another package that an entry point passes on. */
export interface PassedOn {
  readonly type: 'passed on'
  readonly name: string
  /** The name of the package. */
  readonly from: string
}

/** One export of an entry point. */
export type Exported = ExportedDeclaration | PassedOn

/** Reads all exports of an entry point, sorted by name. Throws with every export that has no doc comment. */
export function exportedDeclarations(root: string, entry: string): Exported[] {
  const reader: Reader = { root, files: new Map(), faults: [] }
  const exported = exportedNames(open(reader, entry)).map((name) => find(reader, entry, name))
  if (reader.faults.length > 0) throw new Error(reader.faults.map(formatFault).join('\n'))
  return exported.toSorted((left, right) => compare(left.name, right.name))
}

/** Letters before their case, so that `Trace` and `trace` stand together. */
function compare(left: string, right: string): number {
  return left.localeCompare(right, 'en')
}

interface Reader {
  readonly root: string
  readonly files: Map<string, SourceFile>
  readonly faults: Fault[]
}

function open({ root, files }: Reader, path: string): SourceFile {
  const file = files.get(path) ?? readSource(root, path)
  files.set(path, file)
  return file
}

function exportedNames(file: SourceFile): string[] {
  return statementsOf(file).flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    const declared = statement.declaration === null ? [] : declaredNames(statement.declaration)
    return [...declared, ...statement.specifiers.map(({ exported }) => textOf(exported))]
  })
}

function statementsOf({ program }: SourceFile): readonly Node[] {
  return program.type === 'Program' ? program.body : []
}

function textOf(name: ExportSpecifier['exported']): string {
  return name.type === 'Literal' ? name.value : name.name
}

function declaredNames(declaration: Declaration): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => nameOf(id) ?? [])
  return 'id' in declaration ? [nameOf(declaration.id) ?? ''] : []
}

/** Follows re-exports and imports to the declaration of a name. */
function find(reader: Reader, path: string, name: string, shown = name): Exported {
  const file = open(reader, path)
  for (const statement of statementsOf(file)) {
    const source = 'source' in statement ? plainText(statement.source as Node | null) : undefined
    const local = localName(statement, name)
    if (local === undefined) continue
    if (source === undefined) return find(reader, path, local, shown)
    if (!source.startsWith('.')) return { type: 'passed on', name: shown, from: packageOf(source) }
    return find(reader, posix.join(posix.dirname(path), source), local, shown)
  }
  const statements = statementsOf(file).filter((statement) => declares(statement, name))
  const [first] = statements
  if (first === undefined) throw new Error(`${path} declares no ${name}`)
  return describe({ reader, file, statements, name, shown })
}

/** The name in the module that a statement takes `name` from; undefined if this statement does not provide it. */
function localName(statement: Node, name: string): string | undefined {
  if (statement.type === 'ExportNamedDeclaration') {
    const specifier = statement.specifiers.find(({ exported }) => textOf(exported) === name)
    const local = specifier && textOf(specifier.local)
    // `export { name }` without a source names a declaration or an import of the same file.
    return local === name && statement.source === null ? undefined : local
  }
  if (statement.type !== 'ImportDeclaration') return undefined
  for (const specifier of statement.specifiers)
    if (specifier.type === 'ImportSpecifier' && specifier.local.name === name)
      return textOf(specifier.imported)
  return undefined
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function declares(statement: Node, name: string): boolean {
  const declaration = declarationOf(statement)
  return declaration !== undefined && declaredNames(declaration).includes(name)
}

function declarationOf(statement: Node): Declaration | undefined {
  if (statement.type === 'ExportNamedDeclaration') return statement.declaration ?? undefined
  switch (statement.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
    case 'VariableDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return statement
    default:
      return undefined
  }
}

interface Found {
  readonly reader: Reader
  readonly file: SourceFile
  /** One statement, or all overloads of a function. */
  readonly statements: readonly Node[]
  readonly name: string
  readonly shown: string
}

function describe({ reader, file, statements, name, shown }: Found): ExportedDeclaration {
  const start = statements[0]?.start ?? 0
  const comment = docComment(file, start)
  if (comment === undefined) {
    const line = lineAt(file.text, start)
    reader.faults.push({ path: file.path, line, message: `the export ${shown} has no doc comment` })
  }
  const declarations = statements.flatMap((statement) => declarationOf(statement) ?? [])
  // The body of an overloaded function repeats its overloads with wider types.
  const overloads = declarations.filter(({ type }) => type === 'TSDeclareFunction')
  const shownOnes = overloads.length > 0 ? overloads : declarations
  const texts = shownOnes.map((declaration) => signatureOf(file, declaration, name))
  return {
    type: 'declaration',
    name: shown,
    kind: kindOf(declarations[0]),
    comment: comment === undefined ? '' : commentText(comment),
    signature: texts.map((text) => renamed(text, name, shown)).join('\n'),
  }
}

function kindOf(declaration: Declaration | undefined): DeclarationKind {
  switch (declaration?.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return 'function'
    case 'ClassDeclaration':
      return 'class'
    case 'VariableDeclaration':
      return declaration.declarations[0]?.init?.type === 'ArrowFunctionExpression' ? 'function' : 'constant'
    default:
      return 'type'
  }
}

/** `export { METHODS as routeMethods }` is shown under the name that a reader imports. */
function renamed(signature: string, name: string, shown: string): string {
  return name === shown ? signature : signature.replace(new RegExp(`\\b${name}\\b`), shown)
}

function signatureOf(file: SourceFile, declaration: Declaration, name: string): string {
  const { text } = file
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return withoutSemicolon(text.slice(declaration.start, declaration.body?.start ?? declaration.end))
    case 'ClassDeclaration':
      return classText(file, declaration)
    case 'VariableDeclaration':
      return constantText(file, declaration, name)
    default:
      return withoutSemicolon(text.slice(declaration.start, declaration.end))
  }
}

function withoutSemicolon(text: string): string {
  return text.trim().replace(/;$/, '')
}

/** A constant with its type or, if that is not written down, with its literal value. */
function constantText(
  { text }: SourceFile,
  { declarations }: Extract<Declaration, { type: 'VariableDeclaration' }>,
  name: string,
): string {
  const declarator = declarations.find(({ id }) => nameOf(id) === name)
  if (declarator?.init == null) throw new Error(`the constant ${name} has no value`)
  const { id, init } = declarator
  if (init.type === 'ArrowFunctionExpression') return arrowText(text, init, name)
  const left = text.slice(id.start, id.end)
  if (id.type === 'Identifier' && id.typeAnnotation) return `const ${left}`
  if (isLiteral(init)) return `const ${left} = ${text.slice(init.start, init.end)}`
  const type = init.type === 'TSAsExpression' ? init.typeAnnotation : undefined
  return type === undefined ? `const ${left}` : `const ${left}: ${text.slice(type.start, type.end)}`
}

/** An arrow function in the form of all other functions. */
function arrowText(text: string, { start, body, async }: ArrowFunctionExpression, name: string): string {
  const head = text.slice(start, body.start)
  const parameters = head.slice(0, head.lastIndexOf('=>')).replace(/^async\s*/, '')
  return `${async ? 'async ' : ''}function ${name}${parameters.trimEnd()}`
}

function isLiteral(value: Node): boolean {
  switch (value.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isLiteral(value.expression)
    case 'Literal':
    case 'ArrayExpression':
    case 'ObjectExpression':
      return true
    default:
      return false
  }
}

/** A class without bodies, private members and the values of its fields, except literals without a type. */
function classText(file: SourceFile, { start, body }: Class): string {
  const { text } = file
  const members = body.body.flatMap((member) => {
    if (!('key' in member) || member.key.type === 'PrivateIdentifier') return []
    if ('accessibility' in member && member.accessibility === 'private') return []
    const comment = docComment(file, member.start)
    const own = comment === undefined ? '' : `  ${text.slice(comment.start, comment.end)}\n`
    return [`${own}  ${memberText(text, member)}\n`]
  })
  return `${text.slice(start, body.start)}{\n${members.join('')}}`
}

function memberText(text: string, member: Class['body']['body'][number]): string {
  if (member.type === 'MethodDefinition')
    return text.slice(member.start, member.value.body?.start ?? member.end).trimEnd()
  if (member.type === 'PropertyDefinition' && member.value !== null && member.typeAnnotation)
    return text.slice(member.start, member.typeAnnotation.end)
  return withoutSemicolon(text.slice(member.start, member.end))
}

/** The doc comment directly before a position. */
function docComment({ text, comments }: SourceFile, position: number): Comment | undefined {
  return comments.findLast(
    ({ type, value, end }) =>
      type === 'Block' && value.startsWith('*') && end <= position && text.slice(end, position).trim() === '',
  )
}

function commentText({ value }: Comment): string {
  return value
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join('\n')
    .trim()
}
