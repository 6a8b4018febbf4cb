import { useAgent } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'

/** Says that something is going on while nothing else shows it. */
export function Working() {
  const { session } = useStudio()
  const { status, connection, prompt } = useAgent(session)
  const sending = prompt?.state === 'sending'
  const live = connection.state === 'streaming' || connection.state === 'connecting'
  if (!sending && !(live && status === 'streaming')) return null
  return (
    <p className="working">
      <span className="ripple" aria-hidden="true" />
      {sending ? 'Sending…' : 'Working…'}
    </p>
  )
}
