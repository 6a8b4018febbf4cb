import { useAgent, useTranscript } from 'millrace/react'
import { rootAgent } from 'millrace'
import type { Transcript } from 'millrace'
import { DownIcon } from '../shell/icons.tsx'
import { FrozenNote } from '../shell/frozen-note.tsx'
import { NoticeBar } from '../shell/notice-bar.tsx'
import { showInAddress } from '../session/studio-session.ts'
import { useStudio } from '../session/studio-context.ts'
import { AgentColumn } from './agent-column.tsx'
import { Composer } from './composer.tsx'
import { LoosePending } from './loose-pending.tsx'
import { FileList } from './file-list.tsx'
import { OutgoingBubble } from './outgoing-bubble.tsx'
import { useSending } from './use-sending.ts'
import { useStickToBottom } from './use-stick-to-bottom.ts'
import { Welcome } from './welcome.tsx'
import { Working } from './working.tsx'

const rootOf = (transcript: Transcript): string | undefined => rootAgent(transcript)?.id

/** The conversation with its prompt box. */
export function Chat({ onNewChat }: { readonly onNewChat: () => void }) {
  const { session, resumed, frozen } = useStudio()
  const { connection, prompt } = useAgent(session)
  const root = useTranscript(session, rootOf)
  const empty = root === undefined && !prompt
  const { scrollRef, contentRef, pinned, jump } = useStickToBottom(empty)
  const busy = ['connecting', 'streaming', 'waiting', 'offline'].includes(connection.state)
  const { send: sendNow, told } = useSending(session)
  const send = (text: string) => {
    showInAddress(session.id)
    jump()
    sendNow(text)
  }
  return (
    <>
      <div className="chat-scroll" ref={scrollRef}>
        <div className="chat-content" ref={contentRef} aria-busy={busy}>
          {empty && !frozen && (resumed && busy ? <Opening /> : <Welcome onPick={send} />)}
          {empty && frozen && <p className="opening">Nothing had been said yet.</p>}
          {root !== undefined && (
            <AgentColumn
              agent={root}
              isRoot
              onAskAgain={send}
              busy={busy || frozen !== undefined}
            />
          )}
          <LoosePending />
          {!busy && <FileList />}
          {told.map((text, index) => (
            <OutgoingBubble key={index} prompt={{ text, state: 'sending' }} onSend={send} />
          ))}
          {prompt && <OutgoingBubble prompt={prompt} error={connection.error} onSend={send} />}
          <Working />
        </div>
      </div>
      <div className="chat-foot">
        {!pinned && (
          <button type="button" className="button jump" onClick={jump}>
            <DownIcon />
            Newest
          </button>
        )}
        {frozen ? (
          <FrozenNote onClose={onNewChat} />
        ) : (
          <>
            <NoticeBar onNewChat={onNewChat} />
            <Composer busy={busy} showDemos={!empty} onSend={send} />
          </>
        )}
      </div>
    </>
  )
}

function Opening() {
  return (
    <div className="opening" role="status">
      <span className="ripple" aria-hidden="true" />
      Opening the conversation…
    </div>
  )
}
