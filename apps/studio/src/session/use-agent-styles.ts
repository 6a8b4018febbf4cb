import { useTranscript } from 'millrace/react'
import type { AgentStyles } from './agent-colors.ts'
import { useStudio } from './studio-context.ts'

/** Returns the styles of the session's agents; another object only when an agent is added. */
export function useAgentStyles(): AgentStyles {
  const { session, agentColors } = useStudio()
  return useTranscript(session, agentColors.read)
}
