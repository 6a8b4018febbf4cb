import { HttpAgent, type Message } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { expect, vi } from 'vitest'
import type { Session } from '../../../src/client/index.ts'
import { createSession } from '../../../src/client/transport/http/http-session.ts'
import { type AgentNode, rootAgent } from '../../../src/client/transcript/index.ts'

/** An event as received. */
export interface SeenEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** The options of a thread. */
export interface ThreadOptions {
  readonly url: string
  readonly threadId?: string
  /** Query of the address, such as `?subagents=drop`. */
  readonly query?: string
  readonly messages?: readonly Message[]
  readonly state?: unknown
}

/** The results of a run: its own, and the state of the client after it. */
type Run = Awaited<ReturnType<HttpAgent['runAgent']>>
type RunParameters = NonNullable<Parameters<HttpAgent['runAgent']>[0]>

/** A thread of an unmodified `HttpAgent`, with a record of its connection. */
export interface WatchedThread {
  readonly agent: HttpAgent
  /** The events of each response, in order of arrival. */
  readonly answers: readonly (readonly SeenEvent[])[]
  /** The events of the newest response. */
  readonly newest: () => readonly SeenEvent[]
  readonly session: () => string
  /** Sends a message and reads the run to its end. */
  readonly ask: (words: string, parameters?: RunParameters) => Promise<Run>
  /** The complete text of the assistant, in the messages of the client. */
  readonly text: () => string
  /** The content of a Millrace client that reads the same session, when it is complete. */
  readonly watched: () => Promise<AgentNode>
  /** Checks that all events were valid and the console is empty. */
  readonly close: () => Promise<void>
}

/** Opens a thread on a test server, and records the console from then on. */
export function openThread(options: ThreadOptions): WatchedThread {
  const { url, threadId = crypto.randomUUID(), query = '', messages = [], state } = options
  const warnings: unknown[] = []
  for (const level of ['warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...words: unknown[]) => void warnings.push(words))
  }
  const answers: SeenEvent[][] = []
  const readings: Promise<void>[] = []
  let session = ''
  let watcher: Session | undefined

  const watchedFetch = async (target: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(target, init)
    session = response.headers.get('x-millrace-session') ?? session
    if (!response.ok || response.body === null) return response
    watcher ??= createSession({ url, session, retryDelayMs: 1 })
    void watcher.watch().catch(() => {})
    const [own, copy] = response.body.tee()
    const seen: SeenEvent[] = []
    answers.push(seen)
    readings.push(readEvents(copy, seen).catch(() => {}))
    return new Response(own, { headers: response.headers })
  }

  const agent = new HttpAgent({
    url: `${url}/ag-ui${query}`,
    threadId,
    fetch: watchedFetch,
    initialMessages: [...messages],
    ...(state !== undefined && { initialState: state }),
  })

  return {
    agent,
    answers,
    newest: () => answers.at(-1) ?? [],
    session: () => session,
    ask: (words, parameters) => {
      agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: words })
      return agent.runAgent(parameters)
    },
    text: () => textOf(agent.messages),
    watched: async () => {
      await watcher?.watch()
      const root = watcher && rootAgent(watcher.getSnapshot().transcript)
      if (root === undefined) throw new Error('Nothing was watched.')
      return root
    },
    close: async () => {
      agent.abortRun()
      await Promise.all(readings)
      watcher?.close()
      for (const event of answers.flat()) {
        const { success, error } = EventSchemas.safeParse(event)
        expect(success, `${JSON.stringify(event)} ${error?.message}`).toBe(true)
      }
      expect(warnings).toEqual([])
      vi.restoreAllMocks()
    },
  }
}

/** The text of the assistant in messages. */
function textOf(messages: readonly Message[]): string {
  return messages
    .map((message) => {
      const isOwn = message.role === 'assistant' && message.subagentRunId === undefined
      return isOwn ? (message.content ?? '') : ''
    })
    .join('')
}

/** The text of all runs that a transcript has of an agent. */
export function transcriptText({ blocks }: AgentNode): string {
  let text = ''
  for (let position = 0; position < blocks.length; position++) {
    const block = blocks.at(position)
    if (block?.type === 'text') text += block.text
  }
  return text
}

async function readEvents(body: ReadableStream<Uint8Array>, seen: SeenEvent[]): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    const frames = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data !== undefined) seen.push(JSON.parse(data) as SeenEvent)
    }
  }
}
