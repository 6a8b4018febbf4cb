import { useMemo } from 'react'
import { toSafeDownload } from '../../server/safe-url.ts'
import { useStudio } from '../../session/studio-context.ts'
import { readPrompt } from '../attachments/read-prompt.ts'
import type { BubbleFile } from '../attachments/prompt-file-list.tsx'

/** A question as it is shown: its words, and its files under the names and with the pictures that the server keeps. */
export function usePromptFiles(prompt: string, run: string | undefined) {
  const { session, server, promptFiles, frozen } = useStudio()
  const { id } = session
  return useMemo(() => {
    const { text, files } = readPrompt(prompt)
    const kept = promptFiles.filesOf(run)
    const shown = files.map(({ isPicture, name, kind, size, block }): BubbleFile => {
      const file = kept.get(block)
      // A recording has no server to ask.
      const isThere = file !== undefined && frozen !== 'recording'
      const place = isThere ? toSafeDownload(`/agent/${id}/files/${file.id}`, server) : undefined
      return { name: file?.name ?? name, kind, size, place, isPicture }
    })
    return { text, files: shown }
  }, [prompt, run, promptFiles, frozen, id, server])
}
