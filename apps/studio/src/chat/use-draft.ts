import { useEffect, useState } from 'react'
import type { Session } from 'millrace/client'
import type { FileInbox } from '../shell/use-dropped.ts'
import { useAttachments } from './attach/use-attachments.ts'
import type { Attachments } from './attach/use-attachments.ts'

/** What is written and not sent yet. */
export interface Draft {
  /** What the prompt box begins with when it comes back; it draws itself what is written. */
  readonly readText: () => string
  readonly keepText: (text: string) => void
  readonly attachments: Attachments
}

/** Keeps what is half-written for as long as the conversation is shown, also while one looks at its past. */
export function useDraft(session: Session, { arrived, onTaken }: FileInbox): Draft {
  const [kept] = useState(createKeptText)
  const attachments = useAttachments(session)
  const { add } = attachments
  useEffect(() => {
    if (arrived.length === 0) return
    add(arrived)
    onTaken()
  }, [arrived, onTaken, add])
  return { ...kept, attachments }
}

function createKeptText() {
  let kept = ''
  return {
    readText: () => kept,
    keepText: (text: string): void => {
      kept = text
    },
  }
}
