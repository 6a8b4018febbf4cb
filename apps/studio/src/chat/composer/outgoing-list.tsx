import { useAgent } from 'millrace/react'
import { useStudio } from '../../session/studio-context.ts'
import { OutgoingBubble } from './outgoing-bubble.tsx'
import type { Message, Sending } from './use-message-sender.ts'

interface OutgoingListProps {
  readonly sending: Sending
  readonly onSend: (message: Message) => void
}

/** All that was said and is not in the transcript yet. */
export function OutgoingList({ sending: { told, outgoing }, onSend }: OutgoingListProps) {
  const { session } = useStudio()
  const { connection, prompt } = useAgent(session)
  const ask = (text: string) => onSend({ text })
  return (
    <>
      {told.map(({ text, to }, index) => (
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
