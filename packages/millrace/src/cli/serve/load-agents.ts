import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent } from '../../agent/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { HandlerOptions } from '../../server/index.ts'

/** What a module says about a server. */
export interface LoadedAgents {
  readonly agents: HandlerOptions['agents']
  readonly defaultAgent: string
  /** More options of the handler, such as `authorize`. */
  readonly options: Partial<HandlerOptions>
  /** Closes what the module has opened. */
  readonly close: () => Promise<void>
}

/** Loads a module that exports `agents`, or an agent as `agent` or by default; and perhaps `defaultAgent`, `options`, `close`. */
export async function loadAgents(file: string): Promise<LoadedAgents> {
  const module = await importFile(file)
  const { default: main } = module
  // All may stand in one object as well.
  const exports = isObject(main) && 'agents' in main ? main : module
  const agents = agentsIn(exports, file)
  const [first] = Object.keys(agents)
  if (first === undefined) throw noAgents(file)
  const { defaultAgent = first, options = {}, close } = exports
  if (typeof defaultAgent !== 'string' || !Object.hasOwn(agents, defaultAgent)) {
    const offered = Object.keys(agents).join(', ')
    throw badModule(`${file} exports a \`defaultAgent\` that is not among its agents: ${offered}.`)
  }
  if (!isObject(options)) throw badModule(`${file} exports \`options\` that are no object.`)
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

async function importFile(file: string): Promise<Exports> {
  const path = resolve(file)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) {
    throw new MillraceError('not_found', `There is no file ${file}; check the path.`)
  }
  try {
    return (await import(pathToFileURL(path).href)) as Exports
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') throw unreadable(file, cause)
    throw cause
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
    throw badModule(`${file} exports agents.${name}, which is no agent; createAgent makes one.`)
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
  const message = `Node ${process.version} does not read ${file} by itself. Build it to JavaScript first, or load a reader for it: NODE_OPTIONS="--import tsx".`
  return new MillraceError('unsupported', message, { cause })
}
