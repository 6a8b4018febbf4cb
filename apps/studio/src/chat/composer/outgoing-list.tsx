import { useAgent } from 'millrace/react'
import type { OutgoingPrompt } from 'millrace/client'
import { useStudio } from '../../session/index.ts'
import { PromptFileList, toFileKind } from '../attachments/index.ts'
import type { UploadedFile } from '../attachments/index.ts'
import type { Message, MessageSender } from './use-message-sender.ts'

interface OutgoingListProps {
  readonly sender: MessageSender
  readonly onSend: (message: Message) => void
}

/** Lists messages that the transcript does not show yet. */
export function OutgoingList({ sender: { steered, outgoing }, onSend }: OutgoingListProps) {
  const { session } = useStudio()
  const { connection, prompt } = useAgent(session)
  const ask = (text: string) => onSend({ text })
  return (
    <>
      {steered.map(({ text, to }, index) => (
        <OutgoingBubble key={index} prompt={{ text, state: 'sending' }} to={to} onSend={ask} />
      ))}
      {prompt && <OutgoingBubble prompt={prompt} error={connection.error} onSend={ask} />}
      {outgoing && (
        <OutgoingBubble
          prompt={outgoing}
          files={outgoing.files}
          error={outgoing.error}
          onSend={(text) => onSend({ text, files: outgoing.files })}
        />
      )}
    </>
  )
}

interface OutgoingBubbleProps {
  readonly prompt: OutgoingPrompt
  readonly files?: readonly UploadedFile[]
  /** The agent that is steered. */
  readonly to?: string | undefined
  readonly error?: { readonly message: string } | undefined
  readonly onSend: (text: string) => void
}

/** Shows a prompt that is being sent or was not delivered. */
function OutgoingBubble({ prompt, files = [], to, error, onSend }: OutgoingBubbleProps) {
  const unsent = prompt.state === 'unsent'
  const shown = files.map(({ name, mediaType, size }) => ({
    name,
    kind: toFileKind(mediaType),
    size,
  }))
  return (
    <div className="user-row" data-state={prompt.state}>
      <PromptFileList files={shown} />
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
