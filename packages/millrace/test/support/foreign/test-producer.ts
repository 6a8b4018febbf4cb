import { createSseDecoder } from '../../../src/sse/index.ts'
import type { LoopEvent } from '../../../src/agent/foreign/loop-event.ts'
import { session } from './foreign-server.ts'

/** A server as a producer reaches it. */
export interface Reached {
  readonly fetch: (request: Request) => Promise<Response>
}

/** The reply to a producer. */
export interface ProducerReply {
  readonly status: number
  readonly epoch: number
  readonly next: number
  readonly cursor?: string
  readonly steers?: number
  readonly prompt?: string
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
  readonly answers?: readonly object[]
  readonly error?: { readonly code: string; readonly message: string; readonly reason?: string }
}

/** A command of the stream that producers read. */
export type ReadCommand = { readonly type: string } & Readonly<Record<string, unknown>>

const url = `http://localhost/agent/${session}`

/** Sends one request of a producer. */
export async function sendEvents(
  { fetch }: Reached,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ProducerReply> {
  const response = await fetch(
    new Request(`${url}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )
  return { status: response.status, ...(await response.json()) } as ProducerReply
}

/** Opens the run for a new producer. Its `append` sends events that follow those that it has sent, and repeats a request that failed. */
export async function openProducer(
  reached: Reached | (() => Reached),
  headers: Readonly<Record<string, string>> = {},
) {
  const server = typeof reached === 'function' ? reached : () => reached
  const opened = await sendEvents(server(), {}, headers)
  const { epoch } = opened
  let { next } = opened
  const send = (seq: number, events: readonly LoopEvent[], more: object = {}) =>
    sendEvents(server(), { epoch, seq, events, ...more }, headers)
  return {
    opened,
    epoch,
    send,
    append: async (...events: readonly LoopEvent[]): Promise<ProducerReply> => {
      for (let tries = 1; ; tries++) {
        const reply = await send(next, events)
        if (reply.status === 200) next = reply.next
        if (reply.status < 500 || tries === 100) return reply
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}

/** Reads commands after a cursor until there are some number of them; each has the id at which a reader resumes. */
export async function readCommands(
  { fetch }: Reached,
  count: number,
  cursor = '0',
): Promise<readonly (ReadCommand & { readonly id: string })[]> {
  const commands: (ReadCommand & { readonly id: string })[] = []
  const response = await fetch(
    new Request(`${url}/commands`, { headers: { 'last-event-id': cursor } }),
  )
  if (response.status !== 200) throw new Error(await response.text())
  const decoder = createSseDecoder({
    onEvent: ({ id, data }) => commands.push({ ...JSON.parse(data), id }),
  })
  for await (const chunk of response.body ?? []) {
    decoder.feed(chunk)
    if (commands.length >= count) break
  }
  return commands.slice(0, count)
}
