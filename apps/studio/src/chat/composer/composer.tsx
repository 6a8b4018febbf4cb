import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import {
  isNothingFocused,
  readTabValue,
  SendIcon,
  storeTabValue,
  useKeptState,
} from '../../ui/index.ts'
import { AttachButton, type Attachments } from '../attachments/index.ts'
import {
  DemoChips,
  SuggestionList,
  useCurrentAgent,
  useStarters,
  useSuggestions,
} from '../starters/index.ts'
import { ComposerNotes } from './composer-notes.tsx'
import { StopButton } from './stop-button.tsx'
import { TargetPicker } from './target-picker.tsx'
import type { Message } from './use-message-sender.ts'

interface ComposerProps {
  readonly attachments: Attachments
  readonly busy: boolean
  /** The session has no messages yet. */
  readonly isNew: boolean
  readonly onSend: (message: Message) => void
}

/**
 * Shows the prompt field. Enter or Cmd/Ctrl+Enter sends, Shift+Enter starts a new line. Messages steer a run in
 * progress.
 */
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
          onPaste={(event) => attachPasted(event, attachments.add)}
          placeholder={busy ? 'Send a message to the agent' : asking}
          aria-label="Your message"
          aria-describedby={isBlocked ? noteId : undefined}
          {...suggestions.field}
          enterKeyHint="send"
        />
        {/* The button disappears and loses the focus. */}
        {(busy || hasPendingCall) && <StopButton onStop={() => focusField(field.current)} />}
        <SendButton {...{ ready, busy }} />
      </div>
    </form>
  )
}

/** Returns the files to send and whether the message can be sent. */
function toSendState({ list, isReady }: Attachments, text: string, busy: boolean) {
  const files = list.flatMap(({ uploaded }) => uploaded ?? [])
  const isBlocked = list.some(({ problem }) => problem !== undefined)
  // A run in progress accepts text only; files wait for the next prompt.
  const ready = list.length > 0 ? isReady && !busy : text.trim() !== ''
  return { files, isBlocked, ready }
}

interface ChoicesProps extends Pick<ComposerProps, 'busy' | 'isNew'> {
  /** A chip sends at once and would abandon a pending call. */
  readonly hasChips: boolean
  readonly target: string | undefined
  readonly onTarget: (agent: string | undefined) => void
  readonly onPick: (prompt: string) => void
}

/** Shows the possible selections: a demo, the agent of a new session, or the agent to steer. */
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
      title={busy ? 'Send to the agent (Enter)' : 'Send (Enter)'}
    >
      <SendIcon />
    </button>
  )
}

function sendOnEnter(event: KeyboardEvent, send: () => void): void {
  // During composition Enter belongs to the input method.
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  send()
}

function useFirstFocus(field: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    // The user may step through past moments by keys and return to the present.
    if (isNothingFocused()) focusField(field.current)
  }, [field])
}

/** Focuses the field unless a touch keyboard would cover half of the page. */
function focusField(field: HTMLElement | null): void {
  if (matchMedia('(hover: hover)').matches) field?.focus({ preventScroll: true })
}

/** Attaches pasted files; pasted text is inserted as usual. */
function attachPasted(event: ClipboardEvent, add: (files: Iterable<File>) => void): void {
  const { files } = event.clipboardData
  if (files.length === 0) return
  event.preventDefault()
  add(files)
}

/** Attaches files that are dropped on the composer; the page opens others as recordings. */
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

/** Reports whether a call waits for the user: a question or an approval. */
function useHasPendingCall(): boolean {
  const { session } = useStudio()
  return usePendingTools(session).some(({ answered }) => !answered)
}

/** Selects the agent of a new session if the server has several. */
function AgentPicker() {
  const id = useId()
  const { choice } = useStudio()
  const { agent, agents } = useCurrentAgent()
  if (agents.length < 2) return null
  return (
    <p className="agent-picker">
      <label htmlFor={id}>Agent</label>
      <select id={id} value={agent} onChange={({ target }) => choice.set(target.value)}>
        {agents.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </p>
  )
}

/** Keeps the draft of the prompt across past moments and reloads. */
function useDraftText(isNew: boolean): readonly [string, (text: string) => void] {
  const { session, server, resumed } = useStudio()
  // A draft without a session belongs to any new session, because a reload finds no id.
  const key = `millrace-draft ${server} ${isNew && !resumed ? '' : session.id}`
  const [first] = useState(() => readTabValue(key) ?? '')
  const [text, setText] = useKeptState('prompt', first)
  const write = (next: string) => {
    setText(next)
    storeTabValue(key, next || undefined)
  }
  const lastKey = useRef(key)
  useEffect(() => {
    if (key === lastKey.current) return
    storeTabValue(lastKey.current, undefined)
    storeTabValue(key, text || undefined)
    lastKey.current = key
  }, [key, text])
  return [text, write]
}
