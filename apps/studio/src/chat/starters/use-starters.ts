import { useAccess } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { useCurrentAgent } from './use-current-agent.ts'

/** What a page can offer to ask: demos if the demo agent plays them, anything else if it is not, nothing until it is known. */
export type Starters = 'demos' | 'questions' | undefined

/** Finds out whether the server plays the demos: its own agent does, and only where the emulator is the model. */
export function useStarters(): Starters {
  const { server } = useStudio()
  const { reachability } = useAccess(server)
  const { agent, model } = useCurrentAgent()
  if (reachability === undefined) return undefined
  return agent === 'demo' && model === 'emulator' ? 'demos' : 'questions'
}
