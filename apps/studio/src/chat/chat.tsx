import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { rootAgent, type Transcript } from 'millrace'
import { useAgent, useTranscript } from 'millrace/react'
import { showInAddress, useStudio } from '../session/index.ts'
import { ErrorBoundary } from '../ui/boundary/index.ts'
import { DownIcon, KeptStateContext, useStickToBottom } from '../ui/index.ts'
import {
  Composer,
  type DroppedFiles,
  type Message,
  OutgoingList,
  useDraftFiles,
  useMessageSender,
} from './composer/index.ts'
import { FindBar, useFindKey } from './find/index.ts'
import { NoticeBar, ReadOnlyNote } from './notices/index.ts'
import { PendingWithoutCall, useQuestionFocus } from './questions/index.ts'
import { flashRow, ScrollViewContext, useReveal } from './rows/index.ts'
import { Welcome } from './starters/index.ts'
import { AgentColumn, hasEndedWithoutEndFrame, Working } from './thread/index.ts'

const rootOf = (transcript: Transcript): string | undefined => rootAgent(transcript)?.id

interface ChatProps extends DroppedFiles {
  readonly onNewChat: () => void
}

/** Shows a session with the prompt field. */
export function Chat({ onNewChat, ...inbox }: ChatProps) {
  const studio = useStudio()
  const { session, resumed, readOnly, kept } = studio
  const { connection, prompt } = useAgent(session)
  const root = useTranscript(session, rootOf)
  const sender = useMessageSender(session)
  const attachments = useDraftFiles(studio, inbox)
  const { outgoing } = sender
  const empty = root === undefined && !prompt && !outgoing
  const { scrollRef, contentRef, pinned, jump } = useStickToBottom(empty)
  const keep = useMemo(() => ({ values: kept, place: '' }), [kept])
  const scrollView = useMemo(() => ({ scrollRef, lists: new Map(), lanes: new Map() }), [scrollRef])
  const busy = ['connecting', 'streaming', 'waiting', 'offline'].includes(connection.state)
  const hasEnded = useHasEndedUnmarked(connection.state === 'idle' && readOnly === undefined)
  // A recording has no further frames, even if it is truncated.
  const isOver = readOnly === 'recording' || hasEnded
  useQuestionFocus(contentRef, pinned)
  const send = (message: Message) => {
    showInAddress(session.id)
    jump()
    sender.send(message)
  }
  const ask = (text: string) => send({ text })
  return (
    <KeptStateContext value={keep}>
      <ScrollViewContext value={scrollView}>
        <SearchBar />
        <JumpTarget />
        <div className="chat-scroll" ref={scrollRef}>
          <div className="chat-content" ref={contentRef} aria-busy={busy}>
            <ErrorBoundary name="The conversation" scope="pane" resetKey={studio}>
              {empty && <Empty isOpening={resumed && busy} onPick={ask} />}
              {root !== undefined && (
                <AgentColumn
                  agent={root}
                  isRoot
                  isOver={isOver}
                  onAskAgain={ask}
                  busy={busy || readOnly !== undefined}
                />
              )}
              <PendingWithoutCall />
              <OutgoingList sender={sender} onSend={send} />
              <Working isSending={outgoing?.state === 'sending'} />
            </ErrorBoundary>
          </div>
        </div>
        <div className="chat-foot">
          {!pinned && <JumpButton onClick={jump} />}
          <ErrorBoundary name="The prompt" scope="pane" resetKey={studio}>
            {readOnly && <ReadOnlyNote onClose={onNewChat} />}
            {!readOnly && <NoticeBar onNewChat={onNewChat} />}
            {!readOnly && <Composer {...{ attachments, busy }} isNew={empty} onSend={send} />}
          </ErrorBoundary>
        </div>
      </ScrollViewContext>
    </KeptStateContext>
  )
}

/** Reports whether the stream is over although the run has no end frame. */
function useHasEndedUnmarked(isAtRest: boolean): boolean {
  const { session } = useStudio()
  const select = useCallback(
    (transcript: Transcript) => hasEndedWithoutEndFrame(transcript, isAtRest),
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

/** Shows the search bar while it is open. */
function SearchBar() {
  const [isOpen, setOpen] = useState(false)
  const open = useCallback(() => setOpen(true), [])
  useFindKey(isOpen, open)
  return isOpen && <FindBar onClose={() => setOpen(false)} />
}

/** Follows jumps from the wire. */
function JumpTarget() {
  useJumpTarget()
  return null
}

interface EmptyProps {
  readonly isOpening: boolean
  readonly onPick: (prompt: string) => void
}

/** Fills the pane of a session without messages. */
function Empty({ isOpening, onPick }: EmptyProps) {
  const { readOnly } = useStudio()
  if (readOnly) return <p className="opening">There were no messages yet.</p>
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

/** Follows jumps to blocks and focuses the link back to the wire. */
function useJumpTarget(): void {
  const { jumps } = useStudio()
  const reveal = useReveal()
  const latest = useRef(reveal)
  useEffect(() => {
    latest.current = reveal
  })
  useEffect(
    () =>
      jumps.chat.subscribe((place) => {
        void latest.current(place).then((row) => {
          flashRow(row)
          row?.querySelector<HTMLElement>(':scope > .show-in-wire')?.focus({ preventScroll: true })
        })
      }),
    [jumps],
  )
}
