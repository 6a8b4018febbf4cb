import { useCallback, useMemo } from 'react'
import { childrenOf } from 'millrace'
import type { Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { useStudio } from '../../session/studio-context.ts'

/** The ids of the agents that a call has spawned. */
export function useSpawned(parent: string, call: string): readonly string[] {
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
  return useMemo(() => (ids === '' ? [] : ids.split('\n')), [ids])
}
