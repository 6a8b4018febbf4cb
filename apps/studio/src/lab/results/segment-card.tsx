import { memo } from 'react'
import { GrowingText } from '../../ui/text/index.ts'
import type { SegmentRecord, SegmentState } from '../run/index.ts'

const states: Readonly<Record<SegmentState, { label: string; tone: string }>> = {
  open: { label: 'open', tone: 'live' },
  complete: { label: 'complete', tone: 'good' },
  incomplete: { label: 'incomplete', tone: 'bad' },
  malformed: { label: 'malformed', tone: 'bad' },
  repaired: { label: 'repaired', tone: 'warn' },
}

interface SegmentCardProps {
  readonly number: number
  readonly record: SegmentRecord
  readonly content: string
  readonly state: SegmentState
  readonly isActive: boolean
  readonly onActive: (segment: number) => void
}

/** Shows a segment as far as it was emitted. */
export const SegmentCard = memo(function SegmentCard(props: SegmentCardProps) {
  const { number, record, content, state, isActive, onActive } = props
  const { label, tone } = states[state]
  const endMetadata = state === 'open' ? {} : (record.end.metadata ?? {})
  return (
    <li
      className="segment-card"
      data-kind={record.type}
      data-active={isActive || undefined}
      onPointerEnter={() => onActive(number)}
      onPointerLeave={() => onActive(-1)}
    >
      <header>
        <strong>{record.type}</strong>
        <code>{record.id}</code>
        <span className="segment-state" data-tone={tone}>
          {label}
        </span>
      </header>
      <Metadata metadata={{ ...record.metadata, ...endMetadata }} />
      {content === '' ? (
        <p className="muted">No content{state === 'open' ? ' yet' : ''}</p>
      ) : (
        <pre tabIndex={0} aria-label={`Content of ${record.id}`}>
          {content.trim() === '' ? showSpace(content) : <GrowingText text={content} />}
        </pre>
      )}
    </li>
  )
})

/** Makes white space visible. */
function showSpace(content: string): string {
  return content.replaceAll(' ', '␣').replaceAll('\t', '⇥').replaceAll('\n', '↵\n').trimEnd()
}

function Metadata({ metadata }: { readonly metadata: SegmentRecord['metadata'] }) {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  return (
    <dl>
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
