import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { holdTurns } from '../../streams/index.ts'
import { closeGently } from './close-gently.ts'
import type { ServeLimits } from '../serve-limits.ts'

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
