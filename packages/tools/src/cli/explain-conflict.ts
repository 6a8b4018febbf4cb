import { isMillraceError, MillraceError, parseJsonObject } from 'millrace'
import type { Terminal } from './command.ts'

/** The address of a server that could not start, and its environment. */
interface IntendedServer {
  readonly host: string
  readonly port: number
  readonly env: Terminal['env']
}

/** Timeout of the request that identifies the other server. */
const ASK_TIMEOUT_MS = 2_000

/**
 * Adds the remedy to a conflict at the start of a server: the address of a server that already runs, or the way to
 * another port. Returns other errors unchanged.
 */
export async function explainConflict(error: unknown, intended: IntendedServer): Promise<unknown> {
  if (!isMillraceError(error) || error.code !== 'conflict') return error
  const isPort = isTaken(error.cause)
  const url = toUrl(intended)
  const isRunning = intended.port !== 0 && (await isOurs(url))
  if (!isRunning && !isPort) return error
  const message = isRunning
    ? `A Millrace server is already running at ${url}; open that address.\nTo start another one:  ${toCommand(intended, isPort)}`
    : `${error.message}\nTo use another port:  ${toCommand(intended, true)}`
  return new MillraceError('conflict', message, { cause: error })
}

function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
}

function toUrl({ host, port }: IntendedServer): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether a Millrace server responds at a URL. */
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

/** Returns the command that starts a server without a conflict. */
function toCommand({ port, env }: IntendedServer, keepsStore: boolean): string {
  const next = port < 65_535 ? port + 1 : port - 1
  const store = 'sqlite:.millrace/second.db'
  const script = scripts[env['npm_lifecycle_event'] ?? '']
  if (script !== undefined) {
    return `PORT=${next} ${keepsStore ? '' : `MILLRACE_STORE=${store} `}${script}`
  }
  return `add --port ${next}${keepsStore ? '' : ` --store ${store}`}`
}
