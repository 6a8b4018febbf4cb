import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai-7'
import {
  createNotingFetch,
  type DecidingPage,
  type ForeignProtocol,
  orRefused,
  type Reading,
} from './foreign-client.ts'

/** The transport and the chat of `useChat`, as a page uses them. */
export const aiSdk: ForeignProtocol = {
  name: 'AI SDK',
  create(prompt) {
    const { fetch, session } = createNotingFetch()
    const chatId = `chat-${crypto.randomUUID()}`
    const asked: UIMessage = {
      id: crypto.randomUUID(),
      role: 'user',
      parts: [{ type: 'text', text: prompt }],
    }
    let answer: UIMessage | undefined
    const transportTo = (url: string, query = '') =>
      new DefaultChatTransport<UIMessage>({
        api: `${url}/ai-sdk/chat`,
        fetch,
        prepareReconnectToStreamRequest: ({ id }) => ({
          api: `${url}/ai-sdk/chat/${id}/stream${query}`,
        }),
      })
    const note = async (stream: ReadableStream<UIMessageChunk>): Promise<Reading> => {
      const { message, isEnded } = await read(stream)
      if (isEnded) answer = message
      return { text: message === undefined ? '' : textOf(message), isEnded }
    }
    const ask = async (url: string): Promise<Reading> =>
      note(
        await transportTo(url).sendMessages({
          chatId,
          messages: [asked],
          trigger: 'submit-message',
          messageId: undefined,
          abortSignal: undefined,
        }),
      )
    return {
      session,
      ask,
      async reconnect(url) {
        const stream = await transportTo(url).reconnectToStream({ chatId })
        // There is no current run: this one has ended, and the same message reads it again.
        return stream === null ? ask(url) : note(stream)
      },
      async reload(url) {
        const stream = await transportTo(url, '?replay=1').reconnectToStream({ chatId })
        if (stream === null) throw new Error('The server has no run of this chat.')
        return note(stream)
      },
      openPage(isApproving) {
        if (answer === undefined) throw new Error('There is nothing to decide on yet.')
        const messages = structuredClone([asked, answer])
        return openPage({ chatId, messages, transportTo, isApproving })
      },
    }
  },
}

interface PageOptions {
  readonly chatId: string
  readonly messages: readonly UIMessage[]
  readonly transportTo: (url: string) => DefaultChatTransport<UIMessage>
  readonly isApproving: boolean
}

/** A chat state that is not displayed. */
class PageState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[]
  constructor(messages: readonly UIMessage[]) {
    this.messages = structuredClone([...messages])
  }
  pushMessage = (message: UIMessage): void => void this.messages.push(message)
  popMessage = (): void => void this.messages.pop()
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  snapshot = <Value>(value: Value): Value => structuredClone(value)
}

class PageChat extends AbstractChat<UIMessage> {}

function openPage({ chatId, messages, transportTo, isApproving }: PageOptions): DecidingPage {
  const decide = async (url: string): Promise<Reading> => {
    let isEnded = false
    const chat = new PageChat({
      id: chatId,
      state: new PageState(messages),
      transport: transportTo(url),
      onFinish: ({ finishReason }) => void (isEnded = finishReason !== undefined),
    })
    for (const id of approvalsIn(messages.at(-1)))
      await chat.addToolApprovalResponse({ id, approved: isApproving })
    await chat.sendMessage()
    if (chat.error !== undefined) throw chat.error
    const last = chat.lastMessage
    return { text: last === undefined ? '' : textOf(last), isEnded }
  }
  return { isApproving, decide: (url) => orRefused(decide(url)) }
}

function approvalsIn(message: UIMessage | undefined): readonly string[] {
  const ids = (message?.parts ?? []).flatMap((part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested' ? part.approval.id : [],
  )
  if (ids.length === 0) throw new Error('The answer asks for no approval.')
  return ids
}

async function read(
  stream: ReadableStream<UIMessageChunk>,
): Promise<{ readonly message: UIMessage | undefined; readonly isEnded: boolean }> {
  let isEnded = false
  const watched = stream.pipeThrough(
    new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform(chunk, controller) {
        if (chunk.type === 'finish') isEnded = true
        controller.enqueue(chunk)
      },
    }),
  )
  let message: UIMessage | undefined
  for await (const next of readUIMessageStream({ stream: watched })) message = next
  return { message, isEnded }
}

/** The text without void parts, as in docs/ai-sdk.md. */
function textOf({ parts }: UIMessage): string {
  const gone = new Set(
    parts.flatMap((part) =>
      part.type === 'data-rollback' ? (part.data as { parts: unknown[] }).parts : [],
    ),
  )
  return parts
    .flatMap((part) => (part.type === 'text' ? [part] : []))
    .filter(({ providerMetadata }) => !gone.has(providerMetadata?.['millrace']?.['id']))
    .map(({ text }) => text)
    .join('')
}
