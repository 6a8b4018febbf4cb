import { useEffect } from 'react'
import { useAgent } from 'millrace/react'
import type { TranscriptStatus } from 'millrace'
import { useStudio } from '../session/index.ts'

const announcements: Readonly<Record<TranscriptStatus, string>> = {
  idle: '',
  streaming: 'The agent is answering.',
  awaiting_tools: 'The agent waits for your answer.',
  complete: 'The answer is complete.',
  error: 'The run failed.',
  aborted: 'The run was stopped.',
}

const marks: Readonly<Partial<Record<TranscriptStatus, string>>> = {
  streaming: '● ',
  awaiting_tools: '? ',
}

/** Announces the state of the session to screen readers and in the title of the tab. */
export function LiveStatus() {
  const { session } = useStudio()
  const { status, connection } = useAgent(session)
  useEffect(() => {
    document.title = `${marks[status] ?? ''}Millrace Studio`
  }, [status])
  const down = connection.state === 'waiting' || connection.state === 'offline'
  return (
    <div className="visually-hidden" role="status">
      {down ? 'The connection was lost; reconnecting.' : announcements[status]}
    </div>
  )
}
