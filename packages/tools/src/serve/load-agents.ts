import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent } from 'millrace/agent'
import { MillraceError } from 'millrace'
import type { HandlerOptions } from 'millrace/server'
import { packageFolder } from '../package-folder.ts'
import { execFile } from 'node:child_process'

const missing: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/** The folders of this package, as stacks name them without and with a source map. */
const ownFolders = ['dist', 'src'].map((name) => join(packageFolder, name))
const ownCode = [...ownFolders, ...ownFolders.map((folder) => pathToFileURL(folder).href)]

/** The agents of a file. */
export interface LoadedAgents {
  readonly agents: HandlerOptions['agents']
  readonly defaultAgent: string
  /** Other options of the handler, such as `authorize`. */
  readonly options: Partial<HandlerOptions>
  readonly close: () => Promise<void>
}

/** Loads a module that exports `agents` or one agent, and optionally `defaultAgent`, `options` and `close`. */
export async function loadAgents(file: string): Promise<LoadedAgents> {
  const module = await importFile(file)
  const exports = chooseExports(module, file)
  const agents = agentsIn(exports, file)
  const [first] = Object.keys(agents)
  if (first === undefined) throw noAgents(file)
  const { defaultAgent = first, options = {}, close } = exports
  if (typeof defaultAgent !== 'string' || !Object.hasOwn(agents, defaultAgent)) {
    const offered = Object.keys(agents).join(', ')
    throw badModule(`${file} exports a \`defaultAgent\` that is not among its agents: ${offered}.`)
  }
  if (!isObject(options)) throw badModule(`${file} exports \`options\` that are not an object.`)
  return {
    agents,
    defaultAgent,
    options,
    close: async () => {
      if (typeof close === 'function') await (close as () => unknown)()
    },
  }
}

type Exports = Readonly<Record<string, unknown>>
type Agents = Readonly<Record<string, Agent>>

/** Options of the handler that a module sets in `options`; the command itself sets `node` and `isGone`. */
const optionNames: Readonly<
  Record<
    Exclude<keyof HandlerOptions, 'agents' | 'defaultAgent' | 'store' | 'node' | 'isGone'>,
    true
  >
> = {
  allowedHosts: true,
  allowedOrigins: true,
  approvalTtlMs: true,
  authorize: true,
  basePath: true,
  createId: true,
  files: true,
  heartbeatMs: true,
  keep: true,
  limits: true,
  now: true,
  outbound: true,
  observers: true,
  onError: true,
  onEvent: true,
  onRecovered: true,
  onViolation: true,
  context: true,
  owner: true,
  user: true,
  protocols: true,
  publicUrl: true,
  recovers: true,
  requireInputHash: true,
  title: true,
  token: true,
  version: true,
  view: true,
  webhooks: true,
}

/** Returns the exports, also of one object. Rejects options without effect: they may restrict access. */
function chooseExports(module: Exports, file: string): Exports {
  const { default: main } = module
  checkPlaces(module, file)
  if (!isObject(main) || !('agents' in main)) return module
  checkPlaces(main, file)
  // A CommonJS module has the same options under both.
  if (!('options' in module) || module['options'] === main['options']) return main
  throw badModule(
    `${file} exports \`options\`, which has no effect beside agents by default; put it into the object with the agents.`,
  )
}

function checkPlaces(exports: Exports, file: string): void {
  const stray = Object.keys(exports).find((name) => Object.hasOwn(optionNames, name))
  if (stray === undefined) return
  throw badModule(
    `${file} exports \`${stray}\`, which has no effect there; put it into \`options\`.`,
  )
}

async function importFile(file: string): Promise<Exports> {
  const path = resolve(file)
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) {
    throw new MillraceError('not_found', `${file} is a folder; name the module in it.`)
  }
  if (found?.isFile() !== true) {
    throw new MillraceError('not_found', `There is no file ${file}; check the path.`)
  }
  try {
    return (await import(pathToFileURL(path).href)) as Exports
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') throw unreadable(file, cause)
    const problem = cause instanceof SyntaxError ? await findSyntaxProblem(path, cause) : undefined
    throw new MillraceError('unsupported', problem ?? describeLoadFailure(file, cause), { cause })
  }
}

function agentsIn({ agents, agent, default: main }: Exports, file: string): Agents {
  if (isObject(agents)) return checkAgents(agents, file)
  const only = isAgent(agent) ? agent : main
  if (isAgent(only)) return { [only.name]: only }
  return {}
}

function checkAgents(agents: Exports, file: string): Agents {
  const named = Object.entries(agents).map(([name, agent]) => {
    if (isAgent(agent)) return [name, agent] as const
    throw badModule(
      `${file} exports agents.${name}, which is not an agent; create it with createAgent.`,
    )
  })
  return Object.fromEntries(named)
}

function isObject(value: unknown): value is Exports {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAgent(value: unknown): value is Agent {
  if (typeof value !== 'object' || value === null) return false
  const { name, run } = value as Partial<Agent>
  return typeof name === 'string' && typeof run === 'function'
}

function noAgents(file: string): MillraceError {
  return badModule(
    `${file} exports no agent. Export \`agents\`, an object of agents by their names, or one agent by default.`,
  )
}

function badModule(problem: string): MillraceError {
  return new MillraceError('unsupported', problem)
}

function unreadable(file: string, cause: unknown): MillraceError {
  const message = `Node ${process.version} cannot load ${file}. Compile it to JavaScript first, or use a loader: NODE_OPTIONS="--import tsx".`
  return new MillraceError('unsupported', message, { cause })
}

/** Describes why a module with correct syntax could not be loaded, and the remedy. */
function describeLoadFailure(file: string, error: unknown): string {
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

/** Returns the frames of the module and of its imports. */
function toOwnStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const lines = (error.stack ?? error.message).split('\n')
  const end = lines.findIndex((line) => ownCode.some((folder) => line.includes(folder)))
  const own = end < 0 ? lines : lines.slice(0, end)
  return own.filter((line) => !/^\s+at .*\bnode:internal\//.test(line)).join('\n')
}

/** Maximum shown length of a line: a file without line breaks would fill the screen. */
const maxLineChars = 200
const checkTimeoutMs = 5_000

/**
 * Describes a syntax error that prevented the import of a file; undefined if the module itself threw the error. Node
 * hides the position of such an error, but prints it when it only checks a file.
 */
export async function findSyntaxProblem(
  file: string,
  error: SyntaxError,
): Promise<string | undefined> {
  const [said = '', firstFrame = ''] = (error.stack ?? '').split(/\n\s+at /, 2)
  // A module that parses bad JSON at run time has the parser or itself there.
  if (!firstFrame.includes('node:internal/')) return undefined
  // The import of a name that is not exported includes its position.
  if (!said.startsWith(error.name)) return `${file} cannot be loaded:\n${said}`
  const found = await checkSyntax(file)
  if (found !== undefined) return `${file} cannot be read:\n${found}`
  return `A module that ${file} imports cannot be read: ${error.message}. The syntax of ${file} itself is correct; \`node --check\` shows the line in the other modules.`
}

/** Returns the position and the problem as Node prints them; undefined if it finds none. */
async function checkSyntax(file: string): Promise<string | undefined> {
  // Modules that are preloaded, such as telemetry, must not run.
  const { NODE_OPTIONS: _, ...env } = process.env
  const options = { env, timeout: checkTimeoutMs }
  const printed = await new Promise<string>((settle) => {
    execFile(process.execPath, ['--check', file], options, (_error, _stdout, stderr) => {
      settle(stderr)
    })
  })
  const lines = printed.split('\n')
  const last = lines.findIndex((line) => line.startsWith('SyntaxError'))
  if (last === -1) return undefined
  const shown = lines.slice(0, last + 1).filter((line) => line.trim() !== '')
  return shown.map((line) => line.slice(0, maxLineChars)).join('\n')
}
