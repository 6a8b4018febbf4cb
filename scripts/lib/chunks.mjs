/** The entry whose shared modules are a few chunks, because each file of a page's first import costs half a millisecond of CPU. */
const PAGE = 'client/index.js'

/**
 * Chunks of the shared modules of a page, in order: its reader of frames is apart, so that a bundler leaves it out of a page that only
 * sends requests, and other entries load none of both.
 */
const pageChunks = [
  ['foundations', /\/src\/(?:errors|json|streams|text)\//],
  ['page-requests', /\/src\/client\/(?!transcript\/)/],
  ['page-reading', /\/src\//],
]

/**
 * Returns the groups of modules that are a chunk each: shared modules of a page, and modules of an entry that code which is loaded later
 * imports, so that the entry exports nothing for it. `chunks` are those of a bundle without groups.
 */
export function toGroups(chunks, ownExports) {
  const inner = chunks
    .filter(({ isEntry }) => isEntry)
    .flatMap((chunk) => innerModules(chunk, ownExports))
  const shared = sharedModules(chunks, PAGE)
  const groups = pageChunks.map(([name, path]) => ({
    name,
    test: (id) => shared.has(id) && path.test(id.replaceAll('\\', '/')),
  }))
  return [{ name: 'shared', test: (id) => inner.includes(id) }, ...groups]
}

/** Returns the names that an entry exports beyond those of its source. */
export function innerNames({ exports: names, facadeModuleId }, ownExports) {
  const own = ownExports.get(facadeModuleId) ?? []
  return names.filter((name) => !own.includes(name))
}

function innerModules(chunk, ownExports) {
  const names = innerNames(chunk, ownExports)
  return Object.entries(chunk.modules)
    .filter(([, { renderedExports }]) => renderedExports.some((name) => names.includes(name)))
    .map(([id]) => id)
}

/** Returns the modules, with code, of the other chunks that an entry loads. */
function sharedModules(chunks, entry) {
  const files = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const loaded = new Set()
  const load = (file) => {
    if (loaded.has(file) || !files.has(file)) return
    loaded.add(file)
    files.get(file).imports.forEach(load)
  }
  load(entry)
  loaded.delete(entry)
  const modules = [...loaded].flatMap((file) => Object.entries(files.get(file).modules))
  return new Set(modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id))
}
