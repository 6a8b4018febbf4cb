import { useState } from 'react'
import { isMillraceError } from 'millrace'
import { useStudio } from '../../session/index.ts'
import type { SentCommand } from '../../session/index.ts'

/** A command for a pending call. */
export interface Sendable extends Pick<SentCommand, 'kind'> {
  readonly call: { readonly callId: string }
  /** The answer, if it is one. */
  readonly content?: string
  readonly request: () => Promise<void>
}

/** State of a command that is sent once. */
export interface SendOnce {
  /** Sends the command unless one is being sent. */
  readonly send: (sendable: Sendable) => void
  /** The command is being sent, or accepted and not yet shown by the stream. */
  readonly busy: boolean
  /** Reason why the command was not accepted. */
  readonly problem: string | undefined
}

/** Sends one command to a call. If another page was faster, its outcome is read. */
export function useSendOnce(): SendOnce {
  const { session, sentCommands } = useStudio()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send: SendOnce['send'] = ({ call, kind, content = '', request }) => {
    if (busy) return
    setBusy(true)
    setProblem(undefined)
    sentCommands.add(call.callId, { kind, content })
    request().catch(async (error: unknown) => {
      setProblem(explain(error))
      const reading = session.watch().catch(() => {}) // shown elsewhere
      if (isRejected(error)) {
        sentCommands.markRejected(call.callId)
        await reading
      }
      setBusy(false)
    })
  }
  return { send, busy, problem }
}

/** Returns the reason of a rejection, such as `input_changed`; empty without one. */
export function reasonOf(error: unknown): string {
  return isMillraceError(error) ? String(error.details['reason'] ?? '') : ''
}

/** Reports whether the call was no longer pending. */
function isRejected(error: unknown): boolean {
  if (!isMillraceError(error) || reasonOf(error) === 'input_changed') return false
  return ['conflict', 'not_found'].includes(String(error.details['code']))
}

const reasons: Readonly<Record<string, string>> = {
  input_changed:
    'The arguments of the call have changed, so nothing was decided. Check the current arguments above, then decide.',
  expired: 'The request for approval has expired. The call does not run.',
}

function explain(error: unknown): string {
  if (!isMillraceError(error)) return String(error)
  if (error.code === 'connection_lost') return 'The server could not be reached. Try again.'
  const reason = reasons[reasonOf(error)]
  return reason ?? (isRejected(error) ? 'Someone else has decided on this call.' : error.message)
}
