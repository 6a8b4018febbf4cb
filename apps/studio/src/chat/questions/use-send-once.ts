import { useState } from 'react'
import { isMillraceError } from 'millrace'
import { useStudio } from '../../session/index.ts'
import type { SentCommand } from '../../session/index.ts'

/** Something for a call that waits. */
export interface Sendable extends Pick<SentCommand, 'kind'> {
  readonly call: { readonly toolUseId: string }
  /** The answer, if it is one. */
  readonly content?: string
  readonly request: () => Promise<void>
}

/** Something that is sent to a call that waits, and what became of it. */
export interface SendOnce {
  /** Sends, unless something is on its way. */
  readonly send: (sendable: Sendable) => void
  /** It is on its way, or taken and not yet shown by the stream. */
  readonly busy: boolean
  /** Why it did not count. */
  readonly problem: string | undefined
}

/** Sends one thing; if another page was faster that is told, and what it led to is read. */
export function useSendOnce(): SendOnce {
  const { session, sentCommands } = useStudio()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send: SendOnce['send'] = ({ call, kind, content = '', request }) => {
    if (busy) return
    setBusy(true)
    setProblem(undefined)
    sentCommands.add(call.toolUseId, { kind, content })
    request().catch(async (error: unknown) => {
      setProblem(explain(error))
      const reading = session.watch().catch(() => {}) // the page tells of it elsewhere
      if (isRejected(error)) {
        sentCommands.markRejected(call.toolUseId)
        await reading
      }
      setBusy(false)
    })
  }
  return { send, busy, problem }
}

/** Why the server refused something that was sent, such as `input_changed`; empty if it did not say. */
export function reasonOf(error: unknown): string {
  return isMillraceError(error) ? String(error.details['reason'] ?? '') : ''
}

/** Tells whether the call did not wait any more. */
function isRejected(error: unknown): boolean {
  if (!isMillraceError(error) || reasonOf(error) === 'input_changed') return false
  return ['conflict', 'not_found'].includes(String(error.details['code']))
}

const reasons: Readonly<Record<string, string>> = {
  input_changed:
    'The call has other arguments than those that were shown here, so nothing was decided. Check the current arguments above, then decide.',
  expired: 'The request for approval has expired. The call does not run.',
}

function explain(error: unknown): string {
  if (!isMillraceError(error)) return String(error)
  if (error.code === 'connection_lost') return 'The server was not reached. Try again.'
  const reason = reasons[reasonOf(error)]
  return reason ?? (isRejected(error) ? 'Someone else has decided on this call.' : error.message)
}
