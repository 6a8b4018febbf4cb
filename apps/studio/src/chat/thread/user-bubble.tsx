import { useMemo } from 'react'
import { toSafeDownload } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { PromptFileList, readPrompt } from '../attachments/index.ts'
import type { ShownPromptFile } from '../attachments/index.ts'

interface UserBubbleProps {
  readonly text: string
  /** The id of the run that it began. */
  readonly run?: string | undefined
  /** It was said while the agent worked, not to begin with. */
  readonly meanwhile?: boolean
}

/** What the person asked, or told the agent while it worked. */
export function UserBubble({ text: prompt, run, meanwhile = false }: UserBubbleProps) {
  const { text, files } = usePromptFiles(prompt, run)
  return (
    <div className="user-row" data-meanwhile={meanwhile || undefined}>
      <PromptFileList files={files} />
      {text !== '' && (
        <div className="user-bubble">
          <span className="visually-hidden">
            {meanwhile ? 'You said meanwhile: ' : 'You asked: '}
          </span>
          {text}
        </div>
      )}
    </div>
  )
}

/** A question as it is shown: its words, and its files under the names and with the pictures that the server keeps. */
function usePromptFiles(prompt: string, run: string | undefined) {
  const { session, server, promptFiles, readOnly } = useStudio()
  const { id } = session
  return useMemo(() => {
    const { text, files } = readPrompt(prompt)
    const kept = promptFiles.filesOf(run)
    const shown = files.map(({ isPicture, name, kind, size, block }): ShownPromptFile => {
      const file = kept.get(block)
      // A recording has no server to ask.
      const isPresent = file !== undefined && readOnly !== 'recording'
      const place = isPresent ? toSafeDownload(`/agent/${id}/files/${file.id}`, server) : undefined
      return { name: file?.name ?? name, kind, size, place, isPicture }
    })
    return { text, files: shown }
  }, [prompt, run, promptFiles, readOnly, id, server])
}
