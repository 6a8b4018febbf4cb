import { useEffect } from 'react'
import type { StudioSession } from '../../session/index.ts'
import { useAttachments } from '../attachments/index.ts'
import type { Attachments } from '../attachments/index.ts'

/** Dropped files to attach to the next message. */
export interface DroppedFiles {
  readonly arrived: readonly File[]
  /** Called when the files were attached. */
  readonly onTaken: () => void
}

/** Keeps the attachments of the draft, adds dropped files, and survives a look at a past moment. */
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
