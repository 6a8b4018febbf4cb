import { agentOf, rootAgent } from 'millrace'
import type { Transcript } from 'millrace'
import { useAgent, useTranscript } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import { useReveal } from '../rows/index.ts'

/** Shows that the agent is working while nothing else does. */
export function Working({ isSending = false }: { readonly isSending?: boolean }) {
  const { session, readOnly } = useStudio()
  const { status, connection, prompt } = useAgent(session)
  const subAgentAsks = useTranscript(session, doesSubAgentAsk)
  const sending = isSending || prompt?.state === 'sending'
  const live = connection.state === 'streaming' || connection.state === 'connecting'
  if (live && status === 'awaiting_tools') return <WaitingSubagent isLive />
  if (!live && !readOnly && subAgentAsks) return <WaitingSubagent isLive={false} />
  if (!sending && !(live && status === 'streaming')) return null
  return (
    <p className="working">
      <span className="ripple" aria-hidden="true" />
      {sending ? 'Sending…' : 'Working…'}
    </p>
  )
}

function doesSubAgentAsk(transcript: Transcript): boolean {
  const root = rootAgent(transcript)?.id
  return transcript.pending.some(({ agent }) => agent !== root)
}

/** Shows that a sub-agent waits, perhaps outside of the view, while others may continue. */
function WaitingSubagent({ isLive }: { readonly isLive: boolean }) {
  const show = useShowPending()
  return (
    <p className="working">
      {isLive && <span className="ripple" aria-hidden="true" />}
      {isLive ? 'One agent waits for you, the others continue.' : 'A sub-agent waits for you.'}
      <button type="button" className="quiet-button" onClick={show}>
        Show it
      </button>
    </p>
  )
}

/** Scrolls to the first pending call and focuses it. */
function useShowPending(): () => void {
  const { session } = useStudio()
  const reveal = useReveal()
  const show = async () => {
    const { transcript } = session.getSnapshot()
    const [waiting] = transcript.pending
    if (!waiting) return
    const { agent, callId } = waiting
    const position = agentOf(transcript, agent)?.blocks.find(`tool_call${callId}`) ?? 0
    await reveal({ agent, position })
    const card = document.querySelector<HTMLElement>('.question[data-open], .pending-form')
    card?.scrollIntoView({ block: 'center' })
    card?.focus({ preventScroll: true })
  }
  return () => void show()
}
