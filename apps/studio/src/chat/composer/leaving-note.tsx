import { usePendingTools } from 'millrace/react'
import { useStudio } from '../../session/studio-context.ts'

/** Says at the prompt what a new message does to a call that waits for someone: it gives the call up. */
export function LeavingNote() {
  const { session } = useStudio()
  const left = usePendingTools(session).filter(({ answered }) => !answered)
  if (left.length === 0) return null
  const isDecision = left.every(({ approval }) => approval)
  const [one, many] = isDecision ? ['call', 'calls'] : ['question', 'questions']
  return (
    <p className="composer-note" data-tone="warn" role="status">
      Sending this leaves the {left.length === 1 ? one : many}{' '}
      {isDecision ? 'undecided, and nothing is run' : 'unanswered'}.
    </p>
  )
}
