import type { Socket } from 'node:net'

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
