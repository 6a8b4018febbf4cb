import { useMemo } from 'react'
import { answerCall, type CallDecision, decideCalls } from '../client/index.ts'
import type { Answer, Answers, Session, SessionSnapshot } from '../client/index.ts'
import type { PendingTool, Transcript } from '../client/transcript/index.ts'
import { useSession } from './use-session.ts'

/** A call that is pending for this page, with functions to answer it or, if it has an `approval`, to decide on it. */
export interface PendingToolHandle extends PendingTool {
  /** The answer of this page, until the stream shows it. */
  readonly answered: Answer | undefined
  readonly answer: (content: string, options?: { readonly isError?: boolean }) => Promise<void>
  /** Settles when the server has accepted the decision; the stream shows the result. `shown` defaults to this call's `input`. */
  readonly decide: (
    decision: CallDecision['decision'],
    details?: Pick<CallDecision, 'input' | 'reason' | 'shown'>,
  ) => Promise<void>
}

const pendingOf = ({ transcript }: SessionSnapshot): Transcript['pending'] => transcript.pending
const answersOf = ({ answers }: SessionSnapshot): Answers => answers

/** Returns the calls that are pending for this page, in the order in which the agent made them. */
export function usePendingTools(session: Session): readonly PendingToolHandle[] {
  const pending = useSession(session, pendingOf)
  const answers = useSession(session, answersOf)
  return useMemo(
    () =>
      pending.map((tool) => ({
        ...tool,
        answered: answers[tool.callId],
        answer: (content, options) => answerCall(session, tool.callId, content, options),
        decide: (decision, details) =>
          decideCalls(session, [{ callId: tool.callId, decision, shown: tool.input, ...details }]),
      })),
    [session, pending, answers],
  )
}
