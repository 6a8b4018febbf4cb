import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createSseDecoder } from 'millrace'

/** A frame of a stream: the id, type and payload of its envelope. */
export interface Frame {
  readonly id: number
  readonly type: string
  readonly delta: string
}

/** A stream to read. */
export interface StreamRequest {
  readonly path: string
  /** Sent as JSON by POST; without it the request is a GET. */
  readonly body?: object
  /** The id after which the stream begins. */
  readonly after?: number
  /** Called for each frame; false closes the connection at once. */
  readonly onFrame?: (frame: Frame) => boolean | void
}

/** The users of a server, over connections that can all be closed. */
export interface Client {
  /** Sends a request; resolves with its JSON, rejects unless it succeeds. */
  readonly send: (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>
  /** Reads a stream to its end, or until `onFrame` closes it. */
  readonly stream: (request: StreamRequest) => Promise<readonly Frame[]>
  /** Opens a reader that never reads. */
  readonly stall: (path: string) => Promise<void>
  /** Closes the readers that never read. */
  readonly closeStalled: () => void
  /** Closes connections that no request uses. */
  readonly closeIdle: () => void
}

/** Creates the users of a server. */
export function createClient(url: string): Client {
  const agent = new Agent({ keepAlive: true })
  const stalled = new Set<Socket>()

  const open = (
    method: string,
    path: string,
    options: Partial<StreamRequest>,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { body, after } = options
      const headers = {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(after !== undefined && { 'last-event-id': String(after) }),
      }
      const sent = request(`${url}${path}`, { method, agent, headers }, resolve)
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A server may close an idle connection at the moment of its reuse.
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET'
        if (isStale) resolve(open(method, path, options))
        else reject(new Error(`${method} ${path} failed.`, { cause: error }))
      })
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })

  const send: Client['send'] = async (method, path, body) => {
    const response = await open(method, path, body === undefined ? {} : { body })
    return JSON.parse(await readText(response, path))
  }

  return {
    send,
    stream: async ({ path, onFrame = () => true, ...rest }) => {
      const response = await open(rest.body === undefined ? 'GET' : 'POST', path, rest)
      if (response.statusCode !== 200) await readText(response, path)
      return readFrames(response, onFrame)
    },
    stall: (path) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(url)
        const socket = connect({ host: hostname, port: Number(port) })
        stalled.add(socket)
        socket.pause()
        socket.on('error', reject)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`, () => resolve())
      }),
    closeStalled: () => {
      for (const socket of stalled) socket.destroy()
      stalled.clear()
    },
    closeIdle: () => agent.destroy(),
  }
}

async function readText(response: IncomingMessage, path: string): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  for await (const piece of response) text += String(piece)
  if (response.statusCode === 200) return text
  throw new Error(`${path} was refused with ${response.statusCode}: ${text}`)
}

async function readFrames(
  response: IncomingMessage,
  onFrame: NonNullable<StreamRequest['onFrame']>,
): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  let isLeft = false
  const decoder = createSseDecoder({
    onEvent: ({ id, data }) => {
      if (isLeft || !data.startsWith('{')) return
      const frame = { ...(JSON.parse(data) as Omit<Frame, 'id'>), id: Number(id) }
      frames.push(frame)
      isLeft = onFrame(frame) === false
    },
  })
  for await (const chunk of response) {
    decoder.feed(chunk as Uint8Array)
    // Leaving the loop destroys the connection.
    if (isLeft) break
  }
  return frames
}
