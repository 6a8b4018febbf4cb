import { connect, createServer, type Socket } from 'node:net'

/** A connection to a server that can be cut. */
export interface Cable {
  readonly url: string
  /** Cuts all open connections, and new ones at once. */
  unplug(): void
  plug(): void
  close(): Promise<void>
}

/** Creates a {@link Cable} to a server of this machine. */
export async function layCable(target: string): Promise<Cable> {
  const port = Number(new URL(target).port)
  const open = new Set<Socket>()
  let isPlugged = true
  const server = createServer((near) => {
    if (!isPlugged) return near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The cable has no end.')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    unplug() {
      isPlugged = false
      cut()
    },
    plug() {
      isPlugged = true
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
