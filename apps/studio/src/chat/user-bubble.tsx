import { useMemo } from 'react'
import { readPrompt } from './attach/read-prompt.ts'
import { BubbleFiles } from './bubble-files.tsx'

interface UserBubbleProps {
  readonly text: string
  /** It was said while the agent worked, not to begin with. */
  readonly meanwhile?: boolean
}

/** What the person asked, or told the agent while it worked. */
export function UserBubble({ text: prompt, meanwhile = false }: UserBubbleProps) {
  const { text, files } = useMemo(() => readPrompt(prompt), [prompt])
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
