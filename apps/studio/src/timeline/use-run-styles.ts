import { useMemo } from 'react'
import { toAgentStyles } from '../session/index.ts'
import type { AgentStyles } from '../session/index.ts'
import type { Run } from './model/index.ts'

/** Returns the styles of a run's agents: those of the session, or their own for a file. */
export function useRunStyles(run: Run | undefined, agentStyles: AgentStyles): AgentStyles {
  // The lanes of a run grow in place.
  const count = run?.lanes.length ?? 0
  return useMemo(() => {
    const lanes = run?.lanes.slice(0, count) ?? []
    if (lanes.every(({ agent }) => agentStyles.has(agent))) return agentStyles
    return toAgentStyles(lanes.map(({ agent, name }) => ({ id: agent, name })))
  }, [run, count, agentStyles])
}
