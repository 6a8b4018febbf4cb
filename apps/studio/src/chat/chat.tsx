import { useCallback, useMemo, useState } from 'react'
import { rootAgent } from 'millrace'
import type { Transcript } from 'millrace'
import { useAgent, useTranscript } from 'millrace/react'
import { showInAddress, useStudio } from '../session/index.ts'
import { Guard } from '../ui/boundary/index.ts'
import { DownIcon, KeepContext, useStickToBottom } from '../ui/index.ts'
import { Composer, OutgoingList, useDraftFiles, useSending } from './composer/index.ts'
import type { FileInbox, Message } from './composer/index.ts'
import { FindBar, useFindKey } from './find/index.ts'
import { FrozenNote, NoticeBar } from './notices/index.ts'
import { LoosePending, useQuestionFocus } from './questions/index.ts'
import { ScrollViewContext } from './rows/index.ts'
import { Welcome } from './starters/index.ts'
import { AgentColumn, Working, hasEndedSilently } from './thread/index.ts'
import { useJumpTarget } from './use-jump-target.ts'

const rootOf = (transcript: Transcript): string | undefined => rootAgent(transcript)?.id

interface ChatProps extends FileInbox {
  readonly onNewChat: () => void
}

/** The conversation with its prompt box. */
export function Chat({ onNewChat, ...inbox }: ChatProps) {
  const studio = useStudio()
  const { session, resumed, frozen, kept } = studio
  const { connection, prompt } = useAgent(session)
  const root = useTranscript(session, rootOf)
  const sending = useSending(session)
  const attachments = useDraftFiles(studio, inbox)
  const { outgoing } = sending
  const empty = root === undefined && !prompt && !outgoing
  const { scrollRef, contentRef, pinned, jump } = useStickToBottom(empty)
  const keep = useMemo(() => ({ values: kept, place: '' }), [kept])
  const scrollView = useMemo(() => ({ scrollRef, lists: new Map(), lanes: new Map() }), [scrollRef])
  const busy = ['connecting', 'streaming', 'waiting', 'offline'].includes(connection.state)
  const hasEnded = useHasEnded(connection.state === 'idle' && frozen === undefined)
  // Of a file there is nothing more, even if it breaks off.
  const isOver = frozen === 'recording' || hasEnded
  useQuestionFocus(contentRef, pinned)
  const send = (message: Message) => {
    showInAddress(session.id)
    jump()
    sending.send(message)
  }
  const ask = (text: string) => send({ text })
  return (
    <KeepContext value={keep}>
      <ScrollViewContext value={scrollView}>
        <Finding />
        <JumpTarget />
        <div className="chat-scroll" ref={scrollRef}>
          <div className="chat-content" ref={contentRef} aria-busy={busy}>
            <Guard name="The conversation" scope="pane" shows={studio}>
              {empty && <Empty isOpening={resumed && busy} onPick={ask} />}
              {root !== undefined && (
                <AgentColumn
                  agent={root}
                  isRoot
                  isOver={isOver}
                  onAskAgain={ask}
                  busy={busy || frozen !== undefined}
                />
              )}
              <LoosePending />
              <OutgoingList sending={sending} onSend={send} />
              <Working isSending={outgoing?.state === 'sending'} />
            </Guard>
          </div>
        </div>
        <div className="chat-foot">
          {!pinned && <JumpButton onClick={jump} />}
          <Guard name="The prompt" scope="pane" shows={studio}>
            {frozen && <FrozenNote onClose={onNewChat} />}
            {!frozen && <NoticeBar onNewChat={onNewChat} />}
            {!frozen && <Composer {...{ attachments, busy }} isNew={empty} onSend={send} />}
          </Guard>
        </div>
      </ScrollViewContext>
    </KeepContext>
  )
}

/** Whether the stream is over and its run has not said so. */
function useHasEnded(isAtRest: boolean): boolean {
  const { session } = useStudio()
  const select = useCallback(
    (transcript: Transcript) => hasEndedSilently(transcript, isAtRest),
    [isAtRest],
  )
  return useTranscript(session, select)
}

function JumpButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" className="button jump" {...{ onClick }}>
      <DownIcon />
      Newest
    </button>
  )
}

/** The search, while it is open. */
function Finding() {
  const [isOpen, setOpen] = useState(false)
  const open = useCallback(() => setOpen(true), [])
  useFindKey(isOpen, open)
  return isOpen && <FindBar onClose={() => setOpen(false)} />
}

/** Goes where the wire points. */
function JumpTarget() {
  useJumpTarget()
  return null
}

interface EmptyProps {
  readonly isOpening: boolean
  readonly onPick: (prompt: string) => void
}

/** Stands where nothing was said. */
function Empty({ isOpening, onPick }: EmptyProps) {
  const { frozen } = useStudio()
  if (frozen) return <p className="opening">Nothing had been said yet.</p>
  return isOpening ? <Opening /> : <Welcome onPick={onPick} />
}

function Opening() {
  return (
    <div className="opening" role="status">
      <span className="ripple" aria-hidden="true" />
      Opening the conversation…
    </div>
  )
}
