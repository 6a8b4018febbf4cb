import type { OutgoingPrompt } from 'millrace/client'
import { nameKind } from '../attachments/name-kind.ts'
import type { UploadedFile } from '../attachments/upload-file.ts'
import { BubbleFiles } from '../attachments/prompt-file-list.tsx'

interface OutgoingBubbleProps {
  readonly prompt: OutgoingPrompt
  readonly files?: readonly UploadedFile[]
  /** The one agent that is told. */
  readonly to?: string | undefined
  readonly error?: { readonly message: string } | undefined
  readonly onSend: (text: string) => void
}

/** A prompt that is on its way, or that did not arrive. */
export function OutgoingBubble({ prompt, files = [], to, error, onSend }: OutgoingBubbleProps) {
  const unsent = prompt.state === 'unsent'
  const shown = files.map(({ name, mediaType, size }) => ({
    name,
    kind: nameKind(mediaType),
    size,
  }))
  return (
    <div className="user-row" data-state={prompt.state}>
      <BubbleFiles files={shown} />
      {to && <span className="muted">To {to}</span>}
      {prompt.text !== '' && <div className="user-bubble">{prompt.text}</div>}
      {unsent && (
        <div className="unsent" role="alert">
          <span>
            <strong>Not sent.</strong> {error?.message}
          </span>
          <button type="button" className="button" onClick={() => onSend(prompt.text)}>
            Send again
          </button>
        </div>
      )}
    </div>
  )
}
