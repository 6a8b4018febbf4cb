import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MillraceError } from '../errors/index.ts'

/** Options of a listening server. */
export interface ListenOptions {
  /** The port; 0 takes any free one. */
  readonly port: number
  readonly host: string
  /** Time in which open connections may end when the server closes. */
  readonly closeGraceMs: number
  /** Ends active work, so that the server can close. */
  readonly onClose?: () => Promise<void>
}

/** A listening server. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Accepts no more connections, ends active work, and resolves when all connections are closed. */
  readonly close: () => Promise<void>
}

/** Starts to listen. An error states why the port cannot be used, and the remedy. */
export async function listen(server: Server, options: ListenOptions): Promise<RunningServer> {
  const { port, host } = options
  await open(server, port, host)
  const { port: boundPort } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    port: boundPort,
    close: () => close(server, options),
  }
}

/** Maximum connections that wait to be accepted. Node's default is 511; a client beyond it retries for seconds. */
const backlog = 4_096

function open(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port, host)))
    server.listen({ port, host, backlog }, resolve)
  })
}

const sweepIntervalMs = 10

async function close(server: Server, { closeGraceMs, onClose }: ListenOptions): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await onClose?.()
  // A connection becomes idle shortly after its last response, and would then stay open for seconds.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs)
  const deadline = setTimeout(() => server.closeAllConnections(), closeGraceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'The port is already in use; stop the other process, or choose another port.',
  EACCES: 'This user is not permitted to use the port; choose one above 1023.',
  EADDRNOTAVAIL:
    'This machine does not have that address; choose one of its own, such as 127.0.0.1.',
  EAI_AGAIN:
    'The host name could not be resolved; choose an address of this machine, such as 127.0.0.1.',
  ENOTFOUND: 'The host name does not exist; choose an address of this machine, such as 127.0.0.1.',
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): MillraceError {
  const reason = reasons[error.code ?? ''] ?? error.message
  const message = `Could not listen on ${host}:${port}. ${reason}`
  return new MillraceError('conflict', message, { cause: error })
}
