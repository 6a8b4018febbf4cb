import { useSyncExternalStore } from 'react'
import { useAccess } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'

/** Who answers the next question. */
export interface CurrentAgent {
  /** Undefined until the server has told. */
  readonly agent: string | undefined
  /** What it thinks with, if the server tells: it does so of the agent that answers unless another is chosen. */
  readonly model: string | undefined
  /** All that may be chosen. */
  readonly agents: readonly string[]
}

/** Finds out who answers: the agent that was chosen, or the one that the server gives to those who choose none. */
export function useCurrentAgent(): CurrentAgent {
  const { server, choice } = useStudio()
  const { health } = useAccess(server)
  const chosen = useSyncExternalStore(choice.subscribe, choice.get)
  const agent = chosen ?? health?.agent
  const model = agent === health?.agent ? health?.model : undefined
  return { agent, model, agents: health?.agents ?? [] }
}
