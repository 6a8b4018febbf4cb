import { useAccess } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { useCurrentAgent } from './use-current-agent.ts'

/** Suggestions of a new session: demos if the demo agent answers, otherwise questions; undefined until it is known. */
export type Starters = 'demos' | 'questions' | undefined

/** Returns the suggestions for the server: demos only for its own agent on the emulator. */
export function useStarters(): Starters {
  const { server } = useStudio()
  const { reachability } = useAccess(server)
  const { agent, model } = useCurrentAgent()
  if (reachability === undefined) return undefined
  return agent === 'demo' && model === 'emulator' ? 'demos' : 'questions'
}
