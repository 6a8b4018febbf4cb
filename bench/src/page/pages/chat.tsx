import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, type UIMessage } from 'ai'
import { createRoot } from 'react-dom/client'
import { contentOf, Shown } from './shown.tsx'

const transport = new DefaultChatTransport({ api: '/chat' })
const throttleMs = Number(new URLSearchParams(location.search).get('throttle'))
const options = { transport, ...(throttleMs > 0 && { experimental_throttle: throttleMs }) }

const shownText = (message: UIMessage | undefined): string => {
  const part = message?.parts.find(({ type }) => type === 'text' || type.startsWith('tool-'))
  if (part?.type === 'text') return part.text
  return part !== undefined && 'input' in part ? contentOf(part.input) : ''
}

function Page() {
  const { messages, status, sendMessage } = useChat(options)
  const answer = messages.find(({ role }) => role === 'assistant')
  const done = answer !== undefined && status === 'ready'
  return (
    <Shown text={shownText(answer)} done={done} onStart={() => void sendMessage({ text: 'go' })} />
  )
}

createRoot(document.body.querySelector('#root') ?? document.body).render(<Page />)
