import { useAgent } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { useShowPending } from './use-show-pending.ts'

/** Says that something is going on while nothing else shows it. */
export function Working({ isSending = false }: { readonly isSending?: boolean }) {
  const { session } = useStudio()
  const { status, connection, prompt } = useAgent(session)
  const sending = isSending || prompt?.state === 'sending'
  const live = connection.state === 'streaming' || connection.state === 'connecting'
  if (live && status === 'awaiting_tools') return <WaitingMeanwhile />
  if (!sending && !(live && status === 'streaming')) return null
  return (
    <p className="working">
      <span className="ripple" aria-hidden="true" />
      {sending ? 'Sending…' : 'Working…'}
    </p>
  )
}

/** A sub-agent waits while others go on, perhaps far above what the page follows. */
function WaitingMeanwhile() {
  const show = useShowPending()
  return (
    <p className="working">
      <span className="ripple" aria-hidden="true" />
      One agent waits for you, the others go on.
      <button type="button" className="quiet-button" onClick={show}>
        Show it
      </button>
    </p>
  )
}
