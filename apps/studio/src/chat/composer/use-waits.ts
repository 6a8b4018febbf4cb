import { usePendingTools } from 'millrace/react'
import { useStudio } from '../../session/studio-context.ts'

/** Whether something waits for the person at the page: a question, or a call that needs a decision. */
export function useWaits(): boolean {
  const { session } = useStudio()
  return usePendingTools(session).some(({ answered }) => !answered)
}
