import { agentOf } from 'millrace'
import type { Transcript } from 'millrace'
import { useStudio } from '../session/studio-context.ts'
import { useScrollView } from './rows/scroll-view.ts'

/** A call of an agent, on the way from the root to what waits. */
interface Place {
  readonly agent: string
  readonly call: string
}

/** Brings the first call that waits for someone into view, and the cursor to it. */
export function useShowPending(): () => void {
  const { session } = useStudio()
  const { lists } = useScrollView()
  const show = async () => {
    const { transcript } = session.getSnapshot()
    for (const { agent, call } of placesOf(transcript)) {
      const blocks = agentOf(transcript, agent)?.blocks
      lists.get(agent)?.(blocks?.find(`tool_call${call}`) ?? 0)
      // A list that lies in a row is there once the row is drawn.
      await nextFrame()
    }
    const card = document.querySelector<HTMLElement>('.question[data-open], .card[data-asks]')
    card?.scrollIntoView({ block: 'center' })
    card?.focus({ preventScroll: true })
  }
  return () => void show()
}

function placesOf(transcript: Transcript): readonly Place[] {
  const [waiting] = transcript.pending
  const places: Place[] = []
  let agent = waiting?.agent
  let call = waiting?.toolUseId
  while (agent !== undefined && call !== undefined) {
    places.unshift({ agent, call })
    const node = agentOf(transcript, agent)
    agent = node?.parent ?? undefined
    call = node?.parentToolUseId
  }
  return places
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve))
}
