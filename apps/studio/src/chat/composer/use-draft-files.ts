import { useEffect } from 'react'
import type { StudioSession } from '../../session/index.ts'
import { useAttachments } from '../attachments/index.ts'
import type { Attachments } from '../attachments/index.ts'

/** Files that were dropped and are to go along with the next message. */
export interface DroppedFiles {
  readonly arrived: readonly File[]
  /** They were taken. */
  readonly onTaken: () => void
}

/** The files of a question that is half-written, with those that are dropped on the page; also while one looks at the past. */
export function useDraftFiles(
  studio: StudioSession,
  { arrived, onTaken }: DroppedFiles,
): Attachments {
  const attachments = useAttachments(studio)
  const { add } = attachments
  useEffect(() => {
    if (arrived.length === 0) return
    add(arrived)
    onTaken()
  }, [arrived, onTaken, add])
  return attachments
}
