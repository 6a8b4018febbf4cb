import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { SendIcon } from '../shell/icons.tsx'
import { DemoChips } from './demo-chips.tsx'
import { StopButton } from './stop-button.tsx'

interface ComposerProps {
  readonly busy: boolean
  readonly showDemos: boolean
  readonly onSend: (text: string) => void
}

/** The prompt box. Enter or Cmd/Ctrl+Enter sends, Shift+Enter makes a new line; while a run is under way it is told. */
export function Composer({ busy, showDemos, onSend }: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // Where there is no pointer that hovers, focus would open a keyboard over half of the page.
    if (matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true })
  }, [])
  const ready = text.trim() !== ''
  const send = () => {
    if (!ready) return
    setText('')
    onSend(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method composes, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {showDemos && !busy && <DemoChips onPick={onSend} />}
      <div className="composer-box">
        <textarea
          ref={field}
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder={busy ? 'Tell the agent something' : 'Ask the agent, or type /demo text'}
          aria-label="Your message"
          enterKeyHint="send"
        />
        {busy && <StopButton />}
        <button
          type="submit"
          className="send"
          disabled={!ready}
          aria-label="Send"
          title={busy ? 'Tell the agent (Enter)' : 'Send (Enter)'}
        >
          <SendIcon />
        </button>
      </div>
    </form>
  )
}
