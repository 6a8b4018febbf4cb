import { useTranscript } from 'millrace/react'
import type { AgentStyles } from './agent-colors.ts'
import { useStudio } from './studio-context.ts'

/** The faces of the agents of the conversation; another object only when an agent comes. */
export function useAgentStyles(): AgentStyles {
  const { session, agentColors } = useStudio()
  return useTranscript(session, agentColors.read)
}
