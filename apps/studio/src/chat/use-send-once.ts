import { useState } from 'react'
import { isMillraceError } from 'millrace'
import type { CallName, SentWord } from '../session/sent-words.ts'
import { useStudio } from '../session/studio-context.ts'

/** Something for a call that waits. */
export interface Sendable extends Pick<SentWord, 'deed'> {
  readonly call: CallName
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
  const { session, sentWords } = useStudio()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send: SendOnce['send'] = ({ call, deed, content = '', request }) => {
    if (busy) return
    setBusy(true)
    setProblem(undefined)
    sentWords.add(call, { deed, content })
    request().catch(async (error: unknown) => {
      setProblem(explain(error))
      const reading = session.watch().catch(() => {}) // the page tells of it elsewhere
      if (isLate(error)) {
        sentWords.markLate(call)
        await reading
      }
      setBusy(false)
    })
  }
  return { send, busy, problem }
}

/** Tells whether the call did not wait any more. */
function isLate(error: unknown): boolean {
  return isMillraceError(error) && ['conflict', 'not_found'].includes(String(error.details['code']))
}

function explain(error: unknown): string {
  if (!isMillraceError(error)) return String(error)
  if (error.code === 'connection_lost') return 'The server was not reached. Try again.'
  return isLate(error) ? 'Someone else has decided on this call.' : error.message
}
