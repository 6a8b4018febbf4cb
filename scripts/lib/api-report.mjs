import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'vite'

const modules = new Map()

/** Reads a declaration file: its declarations by name, its imports, exports and comments. */
function readModule(path) {
  const known = modules.get(path)
  if (known) return known
  const text = readFileSync(path, 'utf8')
  const { program, module, comments, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path} cannot be parsed: ${errors[0].message}`)
  const facts = { path, text, comments, declarations: new Map(), imports: new Map(), exports: [] }
  for (const statement of program.body) {
    const node = statement.declaration ?? statement
    const names = node.declarations?.map(({ id }) => id.name) ?? [node.id?.name]
    for (const name of names.filter(Boolean)) {
      facts.declarations.set(name, [...(facts.declarations.get(name) ?? []), node])
    }
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    for (const { importName, localName } of entries) {
      facts.imports.set(localName.value, { from: moduleRequest.value, name: importName.name })
    }
  }
  facts.exports = module.staticExports.flatMap(({ entries }) => entries)
  modules.set(path, facts)
  return facts
}

const isOwn = (specifier) => specifier.startsWith('.')
const resolveFrom = ({ path }, specifier) =>
  resolve(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'))

/** Lists the exports of a module as pairs of a name and the place of its declaration. */
function listExports(path) {
  const facts = readModule(path)
  return facts.exports.flatMap(({ exportName, localName, importName, moduleRequest }) => {
    if (moduleRequest && !isOwn(moduleRequest.value)) return []
    if (!moduleRequest) {
      return exportName.name
        ? [[exportName.name, find(facts, localName.name ?? exportName.name)]]
        : []
    }
    const behind = listExports(resolveFrom(facts, moduleRequest.value))
    if (importName.kind === 'AllButDefault') return behind
    const [, place] = behind.find(([name]) => name === importName.name) ?? []
    return place ? [[exportName.name, place]] : []
  })
}

/** Finds the declaration of a name that a module uses; undefined for names of other packages and of the language. */
function find(facts, name) {
  if (facts.declarations.has(name)) return { facts, name }
  const imported = facts.imports.get(name)
  if (!imported || !isOwn(imported.from)) return undefined
  const path = resolveFrom(facts, imported.from)
  return listExports(path).find(([exported]) => exported === imported.name)?.[1]
}

function* identifiersIn(value) {
  if (Array.isArray(value)) for (const one of value) yield* identifiersIn(one)
  else if (typeof value?.type === 'string') {
    if (value.type === 'Identifier') yield value.name
    for (const child of Object.values(value)) yield* identifiersIn(child)
  }
}

/** Prints a node without comments, each line with its indentation. */
function print({ text, comments }, { start, end }) {
  let printed = ''
  let at = start
  for (const comment of comments) {
    if (comment.start < start || comment.end > end) continue
    printed += text.slice(at, comment.start)
    at = comment.end
  }
  return (printed + text.slice(at, end)).replace(/[ \t]+$/gm, '').replace(/\n\s*\n/g, '\n')
}

/** Follows exported declarations to all declarations of the library that they mention. */
function reach(places) {
  const reached = new Map()
  const waiting = [...places]
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const key = `${place.facts.path} ${place.name}`
    if (reached.has(key)) continue
    const nodes = place.facts.declarations.get(place.name)
    reached.set(key, {
      name: place.name,
      text: nodes.map((node) => print(place.facts, node)).join('\n'),
    })
    for (const name of identifiersIn(nodes)) {
      const next = find(place.facts, name)
      if (next) waiting.push(next)
    }
  }
  return [...reached.values()]
}

/** Lists the subpaths of a library, with the names that each exports and the places of their declarations. */
function listSubpaths(library) {
  const manifest = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  return Object.entries(manifest.exports)
    .filter(([subpath]) => subpath !== './package.json')
    .map(([subpath, { types }]) => ({
      name: `${manifest.name}${subpath.slice(1)}`,
      exported: listExports(join(library, types)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    }))
}

/** Describes the public interface: the names of each subpath, then every declaration that they use. */
export function createApiReport(library) {
  const subpaths = listSubpaths(library)
  const names = subpaths.map(
    ({ name, exported }) => `# ${name}\n\n${exported.map(([one]) => one).join('\n')}\n`,
  )
  const places = subpaths.flatMap(({ exported }) => exported.flatMap(([, place]) => place ?? []))
  const texts = reach(places)
    .toSorted((a, b) => (a.name === b.name ? (a.text < b.text ? -1 : 1) : a.name < b.name ? -1 : 1))
    .map(({ text }) => text)
  return `${names.join('\n')}\n# Declarations\n\n${[...new Set(texts)].join('\n\n')}\n`
}

/** Returns the first paragraph of the comment before a declaration, in Markdown. */
function readDoc({ facts, name }) {
  const { text, comments, declarations } = facts
  const [{ start }] = declarations.get(name)
  const isBefore = ({ end }) => /^\s*(?:export\s+)?$/.test(text.slice(end, start))
  const comment = comments.findLast((one) => one.end <= start && isBefore(one))
  if (comment === undefined) return ''
  const plain = comment.value.replace(/^\s*\*+ ?/gm, '').trim()
  const [paragraph] = plain.split(/\n\s*\n|\n\s*@/)
  return paragraph.replace(/\{@link (\w+)\}/g, '`$1`').replace(/\s+/g, ' ')
}

/** Creates the reference of the public interface: each name of each subpath with the first paragraph of its documentation. */
export function createReference(libraries) {
  const sections = libraries.flatMap(listSubpaths).map(({ name, exported }) => {
    const rows = exported.map(([one, place]) => `- \`${one}\`: ${place ? readDoc(place) : ''}`)
    return `## ${name}\n\n${rows.join('\n')}\n`
  })
  return `${REFERENCE_TITLE}\n${sections.join('\n')}`
}

const REFERENCE_TITLE = `# Reference

Every name of the public interface, by the path it is imported from. Your editor shows the signatures; \`api-report.txt\` of each package
has all of them. \`npm test -- --only check --update\` generates this page from the doc comments.
`

/** Compares the doc comments of the built declarations with the reference, or writes it with UPDATE_API=1. */
export function checkReference(libraries, file) {
  const reference = createReference(libraries)
  if (process.env.UPDATE_API === '1') writeFileSync(file, reference)
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === reference
  const output = `${file} is outdated; update it with: npm test -- --only check --update`
  return isSame ? { ok: true, output: '' } : { ok: false, output }
}

/** Compares the built declarations with api-report.txt, or writes it with UPDATE_API=1. */
export function checkApiReport(library) {
  const reportFile = join(library, 'api-report.txt')
  const report = createApiReport(library)
  if (process.env.UPDATE_API === '1') writeFileSync(reportFile, report)
  const before = existsSync(reportFile) ? readFileSync(reportFile, 'utf8').split('\n') : []
  const after = report.split('\n')
  if (before.join('\n') === report) return { ok: true, output: '' }
  const known = new Set(before)
  const kept = new Set(after)
  const changes = [
    ...before.filter((line) => !kept.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !known.has(line)).map((line) => `+ ${line}`),
  ]
  const hint =
    'The public interface differs from api-report.txt. If that is intended: npm test -- --only check --update'
  return { ok: false, output: [...changes.slice(0, 60), hint].join('\n') }
}
