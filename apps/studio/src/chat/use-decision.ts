import { useState } from 'react'
import { isMillraceError } from 'millrace'
import type { PendingToolHandle } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'

/** How a decision on a call is sent, and what became of it. */
export interface DecisionState {
  readonly decide: (...decision: Parameters<PendingToolHandle['decide']>) => void
  /** It is on its way, or taken and not yet shown by the stream. */
  readonly busy: boolean
  /** Why it did not count. */
  readonly problem: string | undefined
}

/** Sends a decision once; one that another page was faster with is told, and what that led to is read. */
export function useDecision(pending: PendingToolHandle): DecisionState {
  const { session } = useStudio()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const decide: DecisionState['decide'] = (...decision) => {
    if (busy) return
    setBusy(true)
    setProblem(undefined)
    pending.decide(...decision).catch((error: unknown) => {
      setBusy(false)
      setProblem(explain(error))
      void session.watch()
    })
  }
  return { decide, busy, problem }
}

function explain(error: unknown): string {
  if (!isMillraceError(error)) return String(error)
  if (error.code === 'connection_lost') return 'The server was not reached. Try again.'
  const isLate = ['conflict', 'not_found'].includes(String(error.details['code']))
  return isLate ? 'Someone else has decided on this call.' : error.message
}
