import { parseSync } from 'vite'

/** The facts of a module, read from its syntax: none of its code runs. */
export interface ModuleFacts {
  /** Every specifier it imports or re-exports from, types and dynamic imports included. */
  readonly imports: readonly string[]
  /** The names it exports. */
  readonly exports: readonly string[]
  /** The specifiers of its `export *`. */
  readonly starExports: readonly string[]
  /** The free-standing identifiers it uses, with any meaning. */
  readonly identifiers: ReadonlySet<string>
}

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

/** The positions at which an identifier is a name inside another node, not a use of a variable. */
const namePositions: Readonly<Record<string, readonly string[]>> = {
  MemberExpression: ['property'],
  Property: ['key'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  TSPropertySignature: ['key'],
  TSMethodSignature: ['key'],
  TSQualifiedName: ['right'],
  ImportSpecifier: ['imported'],
  ExportSpecifier: ['local', 'exported'],
}

const importing = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'TSImportType',
])

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function* walk(node: Node): Generator<{ node: Node; parent: Node; key: string }> {
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue
      yield { node: child, parent: node, key }
      yield* walk(child)
    }
  }
}

function isUse(parent: Node, key: string): boolean {
  if (parent['computed'] === true || parent['shorthand'] === true) return true
  return !namePositions[parent.type]?.includes(key)
}

/** Reads a TypeScript module. */
export function readModule(path: string, source: string): ModuleFacts {
  const { program, module, errors } = parseSync(path, source)
  if (errors[0]) throw new Error(`${path} cannot be parsed: ${errors[0].message}`)
  const imports: string[] = []
  const identifiers = new Set<string>()
  for (const { node, parent, key } of walk(program as unknown as Node)) {
    const from = node['source'] as Node | null | undefined
    if (importing.has(node.type) && typeof from?.['value'] === 'string') imports.push(from['value'])
    if (node.type === 'Identifier' && isUse(parent, key)) identifiers.add(node['name'] as string)
  }
  const entries = module.staticExports.flatMap((statement) => statement.entries)
  return {
    imports,
    identifiers,
    exports: entries.flatMap(({ exportName }) => exportName.name ?? []),
    starExports: entries.flatMap(({ moduleRequest, exportName, importName }) =>
      moduleRequest && exportName.kind === 'None' && importName.kind === 'AllButDefault'
        ? moduleRequest.value
        : [],
    ),
  }
}
