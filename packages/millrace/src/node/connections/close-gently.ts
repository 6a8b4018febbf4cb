import type { Socket } from 'node:net'

/** How long a client that was told of the end may take to close its side, in all and without sending anything. */
const lingerMs = 30_000
const lingerIdleMs = 5_000

const lingering = new WeakSet<Socket>()

/**
 * Closes a connection whose client may still be sending: ends our side, then reads and drops what comes until the client
 * closes its side or the time is over. A socket that is closed with unread bytes is reset, and a reset takes the
 * response away from a client that has not read it yet.
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

/** Tells whether a connection is being closed, so that nothing more that comes on it is answered. */
export function isClosing(socket: Socket): boolean {
  return socket.destroyed || lingering.has(socket)
}
