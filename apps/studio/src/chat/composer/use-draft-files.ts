import { useEffect } from 'react'
import type { FileInbox } from '../../app/use-dropped-files.ts'
import type { StudioSession } from '../../session/studio-session.ts'
import { useAttachments } from '../attachments/use-attachments.ts'
import type { Attachments } from '../attachments/use-attachments.ts'

/** The files of a question that is half-written, with those that are dropped on the page; also while one looks at the past. */
export function useDraftFiles(studio: StudioSession, { arrived, onTaken }: FileInbox): Attachments {
  const attachments = useAttachments(studio)
  const { add } = attachments
  useEffect(() => {
    if (arrived.length === 0) return
    add(arrived)
    onTaken()
  }, [arrived, onTaken, add])
  return attachments
}
