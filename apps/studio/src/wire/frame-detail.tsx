import { useState } from 'react'
import { readString, toPrettyText } from '../json/index.ts'
import type { LoggedFrame } from '../session/frames/index.ts'
import type { AgentStyle } from '../session/index.ts'
import { toSize } from '../text/index.ts'
import { CopyButton } from '../ui/index.ts'
import { VisibleText } from '../ui/text/index.ts'

const views = [
  { view: 'decoded', label: 'Decoded' },
  { view: 'raw', label: 'Raw' },
] as const

interface FrameDetailProps {
  readonly frame: LoggedFrame
  /** Style of its agent. */
  readonly agentStyle: AgentStyle
  /** Opens the block of the frame, if it is known. */
  readonly onShow: (() => void) | undefined
  readonly onClose: () => void
}

/** Shows a frame: the raw line, or its fields and its delta. */
export function FrameDetail({ frame, agentStyle, onShow, onClose }: FrameDetailProps) {
  const [view, setView] = useState<'decoded' | 'raw'>('decoded')
  return (
    <section className="frame-detail" aria-label={`Frame ${frame.id ?? frame.data}`}>
      <header>
        <strong>{frame.id === undefined ? frame.type : `#${frame.id} ${frame.type}`}</strong>
        <div className="segmented" role="group" aria-label="View">
          {views.map((each) => (
            <button
              key={each.view}
              type="button"
              aria-pressed={view === each.view}
              onClick={() => setView(each.view)}
            >
              {each.label}
            </button>
          ))}
        </div>
        <CopyButton text={frame.data} />
        <button type="button" className="quiet-button" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="frame-from" data-agent-color={agentStyle.color}>
        {agentStyle.label !== '' && <span className="agent-dot" />}
        <span>{[agentStyle.label, toSize(frame.bytes)].filter(Boolean).join(' · ')}</span>
        {onShow && (
          <button type="button" className="quiet-button" onClick={onShow}>
            Show in chat
          </button>
        )}
      </div>
      <pre tabIndex={0} dir="ltr">
        <VisibleText text={view === 'raw' ? frame.data : toDecoded(frame.data)} />
      </pre>
    </section>
  )
}

/** Formats the fields of a line, then its delta. */
function toDecoded(data: string): string {
  try {
    const envelope: unknown = JSON.parse(data)
    const delta = readString(envelope, 'delta') ?? ''
    const fields = Object.entries(envelope as object).filter(([key]) => key !== 'delta')
    const lines = fields.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    return delta === '' ? lines.join('\n') : `${lines.join('\n')}\n\n${toPrettyText(delta)}`
  } catch {
    return data
  }
}
