import { rootAgent, type Transcript, toolInput } from 'millrace'
import { createSession } from 'millrace/client'
import { throttleSession, useAgent, useTranscript } from 'millrace/react'
import { createRoot } from 'react-dom/client'
import { contentOf, Shown } from './shown.tsx'

const throttleMs = Number(new URLSearchParams(location.search).get('throttle'))
const own = createSession({ url: '', runFields: { tool_input: 'live' } })
const session = throttleMs > 0 ? throttleSession(own, throttleMs) : own

const shownText = (transcript: Transcript): string => {
  const block = rootAgent(transcript)?.blocks.at(0)
  if (block?.type === 'text') return block.text
  return block?.type === 'tool_call' ? contentOf(toolInput(block)) : ''
}

function Page() {
  const { status, run } = useAgent(session)
  const text = useTranscript(session, shownText)
  return <Shown text={text} done={status === 'complete'} onStart={() => void run('go')} />
}

createRoot(document.body.querySelector('#root') ?? document.body).render(<Page />)
