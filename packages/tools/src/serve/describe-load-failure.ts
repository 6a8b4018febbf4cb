import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageFolder } from '../package-folder.ts'

const missing: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/** Describes why a module with correct syntax could not be loaded, and what to do. */
export function describeLoadFailure(file: string, error: unknown): string {
  if (error instanceof Error && 'code' in error && missing.has(error.code)) {
    const [what = ''] = error.message.split('\n', 1)
    return `${file} cannot be loaded: ${what}. ${adviceFor(what)}`
  }
  return `${file} failed while it was loaded:\n${toOwnStack(error)}`
}

/** A package is named as it is imported, a file by its expected path. */
function adviceFor(what: string): string {
  const name = /'([^']+)'/.exec(what)?.[1] ?? ''
  const isPath = /^(?:\.|\/|[a-z]:\\|file:)/i.test(name)
  if (isPath) return 'Check the path of that import.'
  return `Run \`npm install\`, or \`npm install ${name}\` if package.json does not name it.`
}

/** The folders of this package, as stacks name them without and with a source map. */
const ownFolders = ['dist', 'src'].map((name) => join(packageFolder, name))
const ownCode = [...ownFolders, ...ownFolders.map((folder) => pathToFileURL(folder).href)]

/** Returns the frames of the module and of its imports. */
function toOwnStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const lines = (error.stack ?? error.message).split('\n')
  const end = lines.findIndex((line) => ownCode.some((folder) => line.includes(folder)))
  const own = end < 0 ? lines : lines.slice(0, end)
  return own.filter((line) => !/^\s+at .*\bnode:internal\//.test(line)).join('\n')
}
