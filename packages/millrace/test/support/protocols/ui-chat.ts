import type { Session } from '../../../src/client/index.ts'
import { createSession } from '../../../src/client/transport/http/http-session.ts'
import { rootAgent } from '../../../src/client/transcript/index.ts'
import {
  expectValid,
  sdks,
  type SdkVersion,
  type SeenChunk,
  type SeenMessage,
} from './ui-stream.ts'

/** The options of a chat. */
export interface ChatOptions {
  readonly url: string
  readonly id?: string
  readonly messages?: readonly SeenMessage[]
  /** Query of the address, such as `?subagents=inline`. */
  readonly query?: string
  readonly body?: object
  /** The condition under which the page continues by itself. */
  readonly goesOn?: 'tools' | 'approvals'
  readonly onToolCall?: (call: ToolCall, chat: UiChat) => void
  /** Whether a run was active when the server returned the initial messages. */
  readonly running?: boolean
}

/** A call that a page receives. */
interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** The members of a chat that tests use; both versions of the SDK have them. */
interface UiChat {
  readonly id: string
  readonly messages: readonly SeenMessage[]
  readonly status: string
  readonly error: Error | undefined
  sendMessage(message?: {
    text: string
    files?: readonly object[]
    messageId?: string
  }): Promise<void>
  regenerate(): Promise<void>
  resumeStream(): Promise<void>
  stop(): Promise<void>
  addToolOutput(output: object): Promise<void>
  addToolApprovalResponse(response: object): Promise<void>
}

/** A chat with a record of its connection. */
export interface WatchedChat {
  readonly chat: UiChat
  /** The chunks of each response, in order of arrival. */
  readonly answers: readonly (readonly SeenChunk[])[]
  readonly statuses: readonly number[]
  /** The session; undefined before the first response. */
  readonly session: () => string
  /** A Millrace client that reads the same runs. */
  readonly watcher: () => Session
  /** The last run in that client, when it is complete. */
  readonly watchedText: () => Promise<string>
  readonly close: () => Promise<void>
}

/** The minimum state of a chat. */
class PlainState {
  status = 'ready'
  error: Error | undefined
  messages: SeenMessage[]
  constructor(messages: readonly SeenMessage[]) {
    this.messages = [...messages]
  }
  pushMessage = (message: SeenMessage): void => void this.messages.push(message)
  popMessage = (): void => void this.messages.pop()
  replaceMessage = (index: number, message: SeenMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  snapshot = <Value>(value: Value): Value => structuredClone(value)
}

const predicates = {
  tools: 'lastAssistantMessageIsCompleteWithToolCalls',
  approvals: 'lastAssistantMessageIsCompleteWithApprovalResponses',
} as const

/** Opens a chat of a version of the AI SDK on a test server, with its own unmodified transport. */
export function openChat(version: SdkVersion, options: ChatOptions): WatchedChat {
  const {
    url,
    id = `chat ${crypto.randomUUID().slice(0, 8)}/ü`,
    messages = [],
    query = '',
  } = options
  const answers: SeenChunk[][] = []
  const statuses: number[] = []
  const readings: Promise<void>[] = []
  let session = ''
  let watcher: Session | undefined

  const watchedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    statuses.push(response.status)
    session = response.headers.get('x-millrace-session') ?? session
    if (!response.ok || response.body === null) return response
    if (watcher === undefined) watcher = createSession({ url, session, retryDelayMs: 1 })
    void watcher.watch().catch(() => {})
    const [own, copy] = response.body.tee()
    const seen: SeenChunk[] = []
    answers.push(seen)
    readings.push(readChunks(copy, seen).catch(() => {}))
    return new Response(own, { headers: response.headers })
  }

  const sdk = sdks[version]
  // The two versions differ in types that tests do not use.
  const { AbstractChat, DefaultChatTransport } = sdk as unknown as {
    AbstractChat: new (init: object) => UiChat
    DefaultChatTransport: new (init: object) => object
  }
  const { body, running = false, goesOn, onToolCall } = options
  class PlainChat extends AbstractChat {}
  const chat: UiChat = new PlainChat({
    id,
    state: new PlainState(messages),
    transport: new DefaultChatTransport({
      api: `${url}/ai-sdk/chat${query}`,
      fetch: watchedFetch,
      ...(body && { body }),
      ...(running && {
        prepareReconnectToStreamRequest: () => ({
          api: `${url}/ai-sdk/chat/${encodeURIComponent(id)}/stream?replay=1`,
        }),
      }),
    }),
    ...(goesOn && { sendAutomaticallyWhen: sdk[predicates[goesOn]] }),
    ...(onToolCall && {
      onToolCall: ({ toolCall }: { toolCall: ToolCall }) => onToolCall(toolCall, chat),
    }),
  })

  const theWatcher = (): Session => {
    if (watcher === undefined) throw new Error('Nothing was answered yet.')
    return watcher
  }

  return {
    chat,
    answers,
    statuses,
    session: () => session,
    watcher: theWatcher,
    watchedText: async () => {
      await theWatcher().watch()
      return rootText(theWatcher())
    },
    close: async () => {
      await chat.stop()
      await Promise.all(readings)
      for (const chunks of answers) await expectValid(chunks)
      watcher?.close()
    },
  }
}

/** All text of the root in its latest run, as in a Millrace client. */
export function rootText(session: Session): string {
  const root = rootAgent(session.getSnapshot().transcript)
  const first = root?.runs.at(-1)?.firstBlock ?? 0
  let text = ''
  for (let position = first; position < (root?.blocks.length ?? 0); position++) {
    const block = root?.blocks.at(position)
    if (block?.type === 'text') text += block.text
  }
  return text
}

async function readChunks(body: ReadableStream<Uint8Array>, seen: SeenChunk[]): Promise<void> {
  let text = ''
  for await (const piece of decoded(body)) {
    const frames = (text + piece).split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data !== undefined && data !== '[DONE]') seen.push(JSON.parse(data) as SeenChunk)
    }
  }
}

async function* decoded(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true })
}
