import { useTranscript } from 'millrace/react'
import type { AgentFaces } from './agent-colors.ts'
import { useStudio } from './studio-context.ts'

/** The faces of the agents of the conversation; another object only when an agent comes. */
export function useAgentFaces(): AgentFaces {
  const { session, faces } = useStudio()
  return useTranscript(session, faces.read)
}
