import { agentOf } from 'millrace'
import { useStudio } from '../../session/studio-context.ts'
import { useReveal } from '../rows/use-reveal.ts'

/** Brings the first call that waits for someone into view, and the cursor to it. */
export function useShowPending(): () => void {
  const { session } = useStudio()
  const reveal = useReveal()
  const show = async () => {
    const { transcript } = session.getSnapshot()
    const [waiting] = transcript.pending
    if (!waiting) return
    const { agent, toolUseId } = waiting
    const position = agentOf(transcript, agent)?.blocks.find(`tool_call${toolUseId}`) ?? 0
    await reveal({ agent, position })
    const card = document.querySelector<HTMLElement>('.question[data-open], .pending-form')
    card?.scrollIntoView({ block: 'center' })
    card?.focus({ preventScroll: true })
  }
  return () => void show()
}
