import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { checkLimits } from '../../errors/index.ts'
import { holdTurns } from '../../streams/index.ts'

/** The open connections of a server. */
export interface Connections {
  /** Registers a request; its connection is in use until the response is closed. */
  add(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** Whether the connections in use leave room for health checks only. */
  isFull(): boolean
  /** Whether a connection waits for a response. */
  isInUse(socket: Socket): boolean
}

/** Connections reserved for health checks and refusals when all others are in use: an eighth of all, at most 64. */
const reserveOf = (max: number): number => Math.min(64, Math.ceil(max / 8))

/**
 * Tracks the connections of a server and enforces its limits. At a limit it closes the connection that has waited
 * longest without a complete request head, then the one that has been idle longest. Connections in use stay open.
 */
export function trackConnections(
  server: Server,
  { maxConnections, maxPendingConnections }: Required<ServeLimits>,
): Connections {
  // A Set keeps the order of insertion, so the first socket has waited longest.
  const pending = new Set<Socket>()
  const idle = new Set<Socket>()
  const inUse = new Map<Socket, number>()
  const latest = new WeakMap<Socket, IncomingMessage>()
  const maxInUse = Math.max(1, maxConnections - reserveOf(maxConnections))

  const remove = (socket: Socket): void => {
    pending.delete(socket)
    idle.delete(socket)
    inUse.delete(socket)
  }
  const evict = (socket: Socket | undefined): void => {
    if (socket === undefined) return
    // Removed now, because the next connection may come before the close event.
    remove(socket)
    socket.destroy()
  }
  const release = (socket: Socket): void => {
    const requests = (inUse.get(socket) ?? 1) - 1
    if (requests > 0) return void inUse.set(socket, requests)
    inUse.delete(socket)
    if (!socket.destroyed) idle.add(socket)
  }

  // One function for all connections, because closures of each would stay in memory with it.
  const onSocketClose = function (this: Socket): void {
    remove(this)
  }
  const onResponseClose = function (this: ServerResponse): void {
    release(this.req.socket)
  }
  /** Node calls this method to close a connection after its last response, even while the client is sending. */
  const destroySoon = function (this: Socket): void {
    if (latest.get(this)?.complete === false) closeGently(this)
    else Socket.prototype.destroySoon.call(this)
  }

  server.on('connection', (socket) => {
    holdTurns()
    pending.add(socket)
    socket.on('close', onSocketClose)
    socket.destroySoon = destroySoon
    if (pending.size > maxPendingConnections) evict(first(pending))
    if (pending.size + idle.size + inUse.size <= maxConnections) return
    evict(pending.size > 1 ? first(pending) : (first(idle) ?? socket))
  })

  return {
    add: (incoming, outgoing) => {
      const { socket } = incoming
      latest.set(socket, incoming)
      pending.delete(socket)
      idle.delete(socket)
      inUse.set(socket, (inUse.get(socket) ?? 0) + 1)
      outgoing.on('close', onResponseClose)
    },
    isFull: () => inUse.size > maxInUse,
    isInUse: (socket) => inUse.has(socket),
  }
}

function first<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item
  return undefined
}

/** Time in which a client may close its side after the server's end, in total and without sending. */
const lingerMs = 30_000
const lingerIdleMs = 5_000

const lingering = new WeakSet<Socket>()

/**
 * Closes a connection whose client may still be sending: ends the server's side, then reads and drops data until the
 * client closes its side or the time is over. A socket closed with unread bytes is reset, and a client that has not
 * read the response yet loses it.
 */
export function closeGently(socket: Socket): void {
  if (socket.destroyed || lingering.has(socket)) return
  lingering.add(socket)
  socket.end()
  const destroy = (): void => void socket.destroy()
  const deadline = setTimeout(destroy, lingerMs).unref()
  socket.setTimeout(lingerIdleMs, destroy)
  socket.once('close', () => clearTimeout(deadline))
}

/** Whether a connection is being closed, so that further requests on it are ignored. */
export function isClosing(socket: Socket): boolean {
  return socket.destroyed || lingering.has(socket)
}

/** The limits of a listening server. */
export interface ServeLimits {
  /** Maximum open connections, lowered to three quarters of the file descriptors of the process. */
  readonly maxConnections?: number
  /** Maximum connections without a complete request head; the oldest is closed for a new one. */
  readonly maxPendingConnections?: number
  /** Time in which a connection must send a complete request head. */
  readonly headersTimeoutMs?: number
  /** Time for which a connection without a request is kept. */
  readonly keepAliveTimeoutMs?: number
}

const defaults: Required<ServeLimits> = {
  maxConnections: 16_384,
  maxPendingConnections: 1_024,
  headersTimeoutMs: 15_000,
  // Longer than nginx and load balancers (60 s) and Caddy (120 s): the side that sends requests must close an idle
  // connection first, or a request crosses the close.
  keepAliveTimeoutMs: 125_000,
}

/** Share of the file descriptors for connections; stores, models and files need the rest. */
const connectionShare = 0.75

/** Checks limits and adds the defaults. */
export function toServeLimits(
  given: ServeLimits = {},
  descriptors: number | undefined = readDescriptorLimit(),
): Required<ServeLimits> {
  checkLimits(given, defaults)
  const limits = { ...defaults, ...given }
  const available = Math.floor((descriptors ?? Infinity) * connectionShare)
  return { ...limits, maxConnections: Math.min(limits.maxConnections, available) }
}

/** Reads the maximum number of open file descriptors of this process; undefined if it is unknown. */
function readDescriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
    return Number.isInteger(limit) ? limit : undefined
  } catch {
    return undefined
  }
}
