import { useCallback } from 'react'
import { childrenOf } from 'millrace'
import type { Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { AgentColumn } from './agent-column.tsx'

interface SubAgentsProps {
  readonly parent: string
  readonly call: string
}

/** The agents that a call has spawned, each in a lane of its own. */
export function SubAgents({ parent, call }: SubAgentsProps) {
  const { session } = useStudio()
  // Ids joined into one string compare by value, so that a lane's growth does not render its neighbours.
  const select = useCallback(
    (transcript: Transcript) =>
      transcript.agents.length > 1
        ? childrenOf(transcript, parent, call)
            .map(({ id }) => id)
            .join('\n')
        : '',
    [parent, call],
  )
  const ids = useTranscript(session, select)
  if (ids === '') return null
  return ids.split('\n').map((id) => (
    <div key={id} className="lane">
      <AgentColumn agent={id} />
    </div>
  ))
}
