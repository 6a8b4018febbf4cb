import { useAccess } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { useAnswering } from './use-current-agent.ts'

/** What a page can offer to ask: demos if the demo agent plays them, anything else if it is not, nothing until it is known. */
export type Offer = 'demos' | 'anything' | undefined

/** Finds out whether the server plays the demos: its own agent does, and only where the emulator is the model. */
export function useOffer(): Offer {
  const { server } = useStudio()
  const { reach } = useAccess(server)
  const { agent, model } = useAnswering()
  if (reach === undefined) return undefined
  return agent === 'demo' && model === 'emulator' ? 'demos' : 'anything'
}
