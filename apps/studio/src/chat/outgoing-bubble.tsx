import type { Connection, OutgoingPrompt } from 'millrace/client'

interface OutgoingBubbleProps {
  readonly prompt: OutgoingPrompt
  readonly error?: Connection['error']
  readonly onSend: (text: string) => void
}

/** A prompt that is on its way, or that did not arrive. */
export function OutgoingBubble({ prompt, error, onSend }: OutgoingBubbleProps) {
  const unsent = prompt.state === 'unsent'
  return (
    <div className="user-row" data-state={prompt.state}>
      <div className="user-bubble">{prompt.text}</div>
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
