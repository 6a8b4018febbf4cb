import { useEffect, useId, useRef, useState } from 'react'
import type { ClipboardEvent, DragEvent, KeyboardEvent } from 'react'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import { SendIcon, isNothingFocused } from '../../ui/index.ts'
import { AttachButton } from '../attachments/index.ts'
import type { Attachments } from '../attachments/index.ts'
import { DemoChips, SuggestionList, useStarters, useSuggestions } from '../starters/index.ts'
import { AgentPicker } from './agent-picker.tsx'
import { ComposerNotes } from './composer-notes.tsx'
import { StopButton } from './stop-button.tsx'
import { TargetPicker } from './target-picker.tsx'
import { useDraftText } from './use-draft-text.ts'
import type { Message } from './use-message-sender.ts'

interface ComposerProps {
  readonly attachments: Attachments
  readonly busy: boolean
  /** Nothing was asked yet. */
  readonly isNew: boolean
  readonly onSend: (message: Message) => void
}

/** The prompt box. Enter or Cmd/Ctrl+Enter sends, Shift+Enter makes a new line; while a run is under way it is told. */
export function Composer({ attachments, busy, isNew, onSend }: ComposerProps) {
  const [text, setText] = useDraftText(isNew)
  const hasDemos = useStarters() === 'demos'
  const asking = hasDemos ? 'Ask, or type /demo text' : 'Ask something'
  const [target, setTarget] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  const noteId = useId()
  const hasPendingCall = useHasPendingCall()
  useFirstFocus(field)
  const { files, isBlocked, ready } = toSendState(attachments, text, busy)
  const send = () => {
    if (!ready) return
    setText('')
    attachments.clear()
    onSend({ text: text.trim(), files, agent: busy ? target : undefined })
  }
  const suggestions = useSuggestions({ text, isOffered: hasDemos && !busy, onPick: setText })
  const { isOver, ...dropping } = useFileDrop(attachments.add)
  return (
    <form
      className="composer"
      data-drop={isOver || undefined}
      {...dropping}
      onSubmit={(event) => (event.preventDefault(), send())}
    >
      <Choices
        {...{ busy, isNew, target }}
        hasChips={hasDemos && !hasPendingCall}
        onTarget={setTarget}
        onPick={(prompt) => onSend({ text: prompt })}
      />
      <ComposerNotes
        {...{ attachments, busy, noteId }}
        abandonsPending={ready && !(busy && target)}
        onLeftOut={() => focusField(field.current)}
      />
      <div className="composer-box">
        <SuggestionList {...suggestions} />
        <AttachButton onFiles={attachments.add} />
        <textarea
          ref={field}
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => suggestions.onKeyDown(event) || sendOnEnter(event, send)}
          onPaste={(event) => takePasted(event, attachments.add)}
          placeholder={busy ? 'Tell the agent something' : asking}
          aria-label="Your message"
          aria-describedby={isBlocked ? noteId : undefined}
          {...suggestions.field}
          enterKeyHint="send"
        />
        {/* The button goes, and the cursor with it. */}
        {(busy || hasPendingCall) && <StopButton onStop={() => focusField(field.current)} />}
        <SendButton {...{ ready, busy }} />
      </div>
    </form>
  )
}

/** Whether what is written and attached can be sent, and what goes along. */
function toSendState({ list, isReady }: Attachments, text: string, busy: boolean) {
  const files = list.flatMap(({ uploaded }) => uploaded ?? [])
  const isBlocked = list.some(({ problem }) => problem !== undefined)
  // A run under way is told in words; files wait for the next question.
  const ready = list.length > 0 ? isReady && !busy : text.trim() !== ''
  return { files, isBlocked, ready }
}

interface ChoicesProps extends Pick<ComposerProps, 'busy' | 'isNew'> {
  /** A chip asks at once: where something hasPendingCall it would be left. */
  readonly hasChips: boolean
  readonly target: string | undefined
  readonly onTarget: (agent: string | undefined) => void
  readonly onPick: (prompt: string) => void
}

/** What can be chosen before something is written: a demo, who is asked, or who is told. */
function Choices({ busy, isNew, hasChips, target, onTarget, onPick }: ChoicesProps) {
  if (busy) return <TargetPicker value={target} onChange={onTarget} />
  if (isNew) return <AgentPicker />
  return hasChips && <DemoChips onPick={onPick} />
}

function SendButton({ ready, busy }: { readonly ready: boolean; readonly busy: boolean }) {
  return (
    <button
      type="submit"
      className="send"
      disabled={!ready}
      aria-label="Send"
      title={busy ? 'Tell the agent (Enter)' : 'Send (Enter)'}
    >
      <SendIcon />
    </button>
  )
}

function sendOnEnter(event: KeyboardEvent, send: () => void): void {
  // While an input method composes, Enter belongs to it.
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  send()
}

function useFirstFocus(field: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    // Someone may go through the past with keys, and come back to now.
    if (isNothingFocused()) focusField(field.current)
  }, [field])
}

/** Where there is no pointer that hovers, a keyboard would open over half of the page. */
function focusField(field: HTMLElement | null): void {
  if (matchMedia('(hover: hover)').matches) field?.focus({ preventScroll: true })
}

/** Takes what is pasted if it is files; text goes where it would. */
function takePasted(event: ClipboardEvent, add: (files: Iterable<File>) => void): void {
  const { files } = event.clipboardData
  if (files.length === 0) return
  event.preventDefault()
  add(files)
}

/** Takes files that are dropped here; the page around takes others as recordings. */
function useFileDrop(add: (files: Iterable<File>) => void) {
  const [isOver, setOver] = useState(false)
  const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      event.stopPropagation()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      event.stopPropagation()
      setOver(false)
      add(event.dataTransfer.files)
    },
  }
}

/** Whether something hasPendingCall for the person at the page: a question, or a call that needs a decision. */
function useHasPendingCall(): boolean {
  const { session } = useStudio()
  return usePendingTools(session).some(({ answered }) => !answered)
}
