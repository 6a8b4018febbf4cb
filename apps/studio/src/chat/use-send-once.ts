import { useState } from 'react'
import { isMillraceError } from 'millrace'
import { useStudio } from '../session/studio-context.ts'

/** Something that is sent to a call that waits, and what became of it. */
export interface SendOnce {
  /** Sends, unless something is on its way. */
  readonly send: (request: () => Promise<void>) => void
  /** It is on its way, or taken and not yet shown by the stream. */
  readonly busy: boolean
  /** Why it did not count. */
  readonly problem: string | undefined
}

/** Sends one thing; if another page was faster that is told, and what it led to is read. */
export function useSendOnce(): SendOnce {
  const { session } = useStudio()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send: SendOnce['send'] = (request) => {
    if (busy) return
    setBusy(true)
    setProblem(undefined)
    request().catch((error: unknown) => {
      setBusy(false)
      setProblem(explain(error))
      session.watch().catch(() => {}) // the page tells of it elsewhere
    })
  }
  return { send, busy, problem }
}

function explain(error: unknown): string {
  if (!isMillraceError(error)) return String(error)
  if (error.code === 'connection_lost') return 'The server was not reached. Try again.'
  const isLate = ['conflict', 'not_found'].includes(String(error.details['code']))
  return isLate ? 'Someone else has decided on this call.' : error.message
}
