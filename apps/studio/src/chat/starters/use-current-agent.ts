import { useSyncExternalStore } from 'react'
import { useAccess } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'

/** The agent of the next prompt. */
export interface CurrentAgent {
  /** Name; undefined until the server has responded. */
  readonly agent: string | undefined
  /** Model of the server's default agent; undefined for other agents. */
  readonly model: string | undefined
  /** All agents of the server. */
  readonly agents: readonly string[]
}

/** Returns the agent of the next prompt: the selected one, or the default of the server. */
export function useCurrentAgent(): CurrentAgent {
  const { server, choice } = useStudio()
  const { health } = useAccess(server)
  const chosen = useSyncExternalStore(choice.subscribe, choice.get)
  const agent = chosen ?? health?.agent
  const model = agent === health?.agent ? health?.model : undefined
  return { agent, model, agents: health?.agents ?? [] }
}
