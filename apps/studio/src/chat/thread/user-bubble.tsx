import { useMemo } from 'react'
import { toSafeDownload } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { PromptFileList, readPrompt } from '../attachments/index.ts'
import type { ShownPromptFile } from '../attachments/index.ts'

interface UserBubbleProps {
  readonly text: string
  /** Id of the run that it started. */
  readonly run?: string | undefined
  /** The message was sent during the run. */
  readonly isDuringRun?: boolean
}

/** Shows a message of the user: a prompt, or a message to a run. */
export function UserBubble({ text: prompt, run, isDuringRun = false }: UserBubbleProps) {
  const { text, files } = usePromptFiles(prompt, run)
  return (
    <div className="user-row" data-meanwhile={isDuringRun || undefined}>
      <PromptFileList files={files} />
      {text !== '' && (
        <div className="user-bubble">
          <span className="visually-hidden">
            {isDuringRun ? 'You said during the run: ' : 'You asked: '}
          </span>
          {text}
        </div>
      )}
    </div>
  )
}

/** Returns the text of a prompt, and its files with the names and images of the server. */
function usePromptFiles(prompt: string, run: string | undefined) {
  const { session, server, promptFiles, readOnly } = useStudio()
  const { id } = session
  return useMemo(() => {
    const { text, files } = readPrompt(prompt)
    const kept = promptFiles.filesOf(run)
    const shown = files.map(({ isPicture, name, kind, size, block }): ShownPromptFile => {
      const file = kept.get(block)
      // A recording has no server.
      const isPresent = file !== undefined && readOnly !== 'recording'
      const place = isPresent ? toSafeDownload(`/agent/${id}/files/${file.id}`, server) : undefined
      return { name: file?.name ?? name, kind, size, place, isPicture }
    })
    return { text, files: shown }
  }, [prompt, run, promptFiles, readOnly, id, server])
}
