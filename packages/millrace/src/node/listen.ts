import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MillraceError } from '../errors/index.ts'

/** Where a server listens, and how it stops. */
export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number
  readonly host: string
  /** How long open connections may take to end when the server closes. */
  readonly closeGraceMs: number
  /** Ends what is under way, so that the server can close. */
  readonly onClose?: () => Promise<void>
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Takes no more connections, ends what is under way, and resolves when all connections are closed. */
  readonly close: () => Promise<void>
}

/** Puts a server of Node on a port; where that cannot be, the error says why and what to do. */
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

/** Connections that may wait to be accepted. Node asks for 511; a client beyond that retries for seconds. */
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
  // A connection becomes idle a moment after its last response, and would then be kept for seconds.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs)
  const deadline = setTimeout(() => server.closeAllConnections(), closeGraceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Something else listens there already; stop it, or choose another port.',
  EACCES: 'This user may not use that port; choose one above 1023.',
  EADDRNOTAVAIL:
    'This machine does not have that address; choose one of its own, such as 127.0.0.1.',
  EAI_AGAIN:
    'That name could not be looked up; choose an address of this machine, such as 127.0.0.1.',
  ENOTFOUND: 'Nobody knows that name; choose an address of this machine, such as 127.0.0.1.',
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): MillraceError {
  const reason = reasons[error.code ?? ''] ?? error.message
  const message = `Could not listen on ${host}:${port}. ${reason}`
  return new MillraceError('conflict', message, { cause: error })
}
