import { useState } from 'react'
import type { Session } from 'millrace/client'
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
export function useDraft(session: Session): Draft {
  const [kept] = useState(createKeptText)
  return { ...kept, attachments: useAttachments(session) }
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
