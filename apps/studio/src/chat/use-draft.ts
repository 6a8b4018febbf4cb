import { useRef } from 'react'
import type { RefObject } from 'react'
import type { Session } from 'millrace/client'
import { useAttachments } from './attach/use-attachments.ts'
import type { Attachments } from './attach/use-attachments.ts'

/** What is written and not sent yet. */
export interface Draft {
  /** What the prompt box begins with; it writes here, and draws itself. */
  readonly text: RefObject<string>
  readonly attachments: Attachments
}

/** Keeps what is half-written for as long as the conversation is shown, also while one looks at its past. */
export function useDraft(session: Session): Draft {
  return { text: useRef(''), attachments: useAttachments(session) }
}
