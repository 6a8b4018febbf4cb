import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai-7'
import { useChat } from 'ai-sdk-react-4'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'

/** The operations of a test on the page. */
export interface UseChatPage {
  readonly ask: (text: string) => void
  readonly look: () => UseChatView
}

/** The content of the page. */
export interface UseChatView {
  readonly status: string
  readonly error: string | undefined
  readonly roles: readonly string[]
  readonly text: string
  /** The number of executions of the page's own tool in this tab, over all loads. */
  readonly ran: number
  /** Whether the earlier messages were present when the page was loaded. */
  readonly loaded: number
}

declare global {
  interface Window {
    useChatPage: UseChatPage
  }
}

const id = new URL(location.href).searchParams.get('chat') ?? ''
const route = `/ai-sdk/chat/${encodeURIComponent(id)}`
const response = await fetch(`${route}/messages`)
const { messages, running } = (await response.json()) as { messages: UIMessage[]; running: boolean }
const transport = new DefaultChatTransport({
  api: '/ai-sdk/chat',
  // The run may have continued, and even paused, since the messages were read.
  prepareReconnectToStreamRequest: () => ({ api: `${route}/stream?replay=${Number(running)}` }),
})

function Chat({ initial }: { readonly initial: UIMessage[] }) {
  const { messages, sendMessage, addToolOutput, status, error } = useChat({
    id,
    messages: initial,
    resume: true,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  })
  // Unlike `onToolCall`, this also answers calls that were pending when the page was loaded.
  useEffect(() => {
    if (status !== 'ready') return
    for (const part of messages.at(-1)?.parts ?? []) {
      if (part.type !== 'dynamic-tool' || part.state !== 'input-available') continue
      const { toolName: tool, toolCallId } = part
      if (tool !== 'user_confirm') continue
      sessionStorage.setItem('ran', String(ran() + 1))
      void addToolOutput({ tool, toolCallId, output: 'yes' })
    }
  }, [status, messages, addToolOutput])
  useEffect(() => {
    window.useChatPage = {
      ask: (text) => void sendMessage({ text }),
      look: () => ({
        status,
        error: error?.message,
        roles: messages.map(({ role }) => role),
        text: textOf(messages.at(-1)),
        ran: ran(),
        loaded: initial.length,
      }),
    }
  })
  return (
    <main>
      {messages.map((message) => (
        <p key={message.id}>{textOf(message)}</p>
      ))}
    </main>
  )
}

function ran(): number {
  return Number(sessionStorage.getItem('ran') ?? 0)
}

function textOf(message: UIMessage | undefined): string {
  const texts = message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  return texts.join('')
}

const place = document.body.appendChild(document.createElement('div'))
createRoot(place).render(<Chat initial={messages} />)
