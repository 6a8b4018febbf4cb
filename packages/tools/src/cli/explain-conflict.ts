import { isMillraceError, MillraceError } from 'millrace'
import { parseJsonObject } from 'millrace'
import type { Terminal } from './command.ts'

/** Where a server was to listen, and what it was started by. */
export interface IntendedServer {
  readonly host: string
  readonly port: number
  readonly env: Terminal['env']
}

/** Something on the same machine that does not answer in this time is none of ours. */
const ASK_TIMEOUT_MS = 2_000

/**
 * Makes the error of a server that could not start one that helps: if the port or the store is taken because it runs
 * already, it says where; if something else has the port, how another one is chosen. Other errors are given back.
 */
export async function explainConflict(error: unknown, intended: IntendedServer): Promise<unknown> {
  if (!isMillraceError(error) || error.code !== 'conflict') return error
  const isPort = isTaken(error.cause)
  const url = toUrl(intended)
  const isRunning = intended.port !== 0 && (await isOurs(url))
  if (!isRunning && !isPort) return error
  const message = isRunning
    ? `It seems to be running already at ${url}: open that address.\nTo start another one beside it: ${toCommand(intended, isPort)}`
    : `${error.message}\nFor another port: ${toCommand(intended, true)}`
  return new MillraceError('conflict', message, { cause: error })
}

function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
}

function toUrl({ host, port }: IntendedServer): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Tells whether a server of Millrace answers there. */
async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })
    const status = parseJsonObject(await response.text())?.['status']
    return status === 'healthy' || status === 'unhealthy'
  } catch {
    return false
  }
}

/** The scripts of a clone and of new apps that start a server, as they are called. */
const scripts: Readonly<Record<string, string>> = { start: 'npm start', studio: 'npm run studio' }

/** What to type for a server that is in nobody's way. */
function toCommand({ port, env }: IntendedServer, keepsStore: boolean): string {
  const next = port < 65_535 ? port + 1 : port - 1
  const store = 'sqlite:.millrace/second.db'
  const script = scripts[env['npm_lifecycle_event'] ?? '']
  if (script !== undefined) {
    return `PORT=${next} ${keepsStore ? '' : `MILLRACE_STORE=${store} `}${script}`
  }
  return `add --port ${next}${keepsStore ? '' : ` --store ${store}`}`
}
