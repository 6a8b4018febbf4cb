import { useMemo } from 'react'
import { toAgentFaces } from '../session/index.ts'
import type { AgentFaces } from '../session/index.ts'
import type { Run } from './model/index.ts'

/** The faces of a run's agents: those that they have in the conversation, or their own if the run is from a file. */
export function useRunFaces(run: Run | undefined, faces: AgentFaces): AgentFaces {
  // The lanes of a run grow in place.
  const count = run?.lanes.length ?? 0
  return useMemo(() => {
    const lanes = run?.lanes.slice(0, count) ?? []
    if (lanes.every(({ agent }) => faces.has(agent))) return faces
    return toAgentFaces(lanes.map(({ agent, name }) => ({ id: agent, name })))
  }, [run, count, faces])
}
