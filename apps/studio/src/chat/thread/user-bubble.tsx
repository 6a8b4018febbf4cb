import { BubbleFiles } from '../attachments/prompt-file-list.tsx'
import { usePromptFiles } from './use-prompt-files.ts'

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
      <BubbleFiles files={files} />
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
