import type { SegmentEvent } from 'millrace/segments'
import { CopyButton } from '../../ui/index.ts'
import { usePage } from './use-page.ts'

interface EventListProps {
  /** The events of one step. */
  readonly events: readonly SegmentEvent[]
  readonly step: number
  readonly lastStep: number
  /** Number of characters that are held back after the step. */
  readonly held: number
  /** Content waits for the start of its segment. */
  readonly isWaiting: boolean
}

/** Lists the events of a step as they are on the wire. */
export function EventList({ events, ...moment }: EventListProps) {
  const { count, hidden, showMore } = usePage(events.length)
  return (
    <section className="lab-panel" aria-label="Events of this step">
      <header>
        <h2>Events of this step</h2>
        <span className="muted">{events.length.toLocaleString('en')}</span>
        {events.length > 0 && <CopyButton text={toLines(events)} />}
      </header>
      <div className="lab-scroll">
        {events.length === 0 && <p className="lab-empty">{toExplanation(moment)}</p>}
        <ol className="event-list" data-testid="events">
          {events.slice(0, count).map((event, index) => (
            <li key={index} data-type={event.type}>
              <code>{toShortLine(event)}</code>
            </li>
          ))}
        </ol>
        {hidden > 0 && (
          <button type="button" className="quiet-button" onClick={showMore}>
            Show more ({hidden.toLocaleString('en')} left)
          </button>
        )}
      </div>
    </section>
  )
}

function toExplanation(moment: Omit<EventListProps, 'events'>): string {
  const { step, lastStep, held, isWaiting } = moment
  if (step === 0) return 'Nothing has been fed yet.'
  if (step === lastStep) return 'None: all events came before the end of the stream.'
  if (held === 0 && isWaiting) return 'None: the content waits until its segment can start.'
  if (held === 0) return 'None: the chunk has no content.'
  const characters = held === 1 ? 'one character is' : `${held} characters are`
  return `None: ${characters} held back until the next characters decide.`
}

function toLines(events: readonly SegmentEvent[]): string {
  return events.map((event) => JSON.stringify(event)).join('\n')
}

/** The length of a delta that is shown in full; copying includes all of it. */
const MAX_SHOWN_DELTA = 600

function toShortLine(event: SegmentEvent): string {
  if (event.type !== 'SEGMENT_CONTENT' || event.payload.delta.length <= MAX_SHOWN_DELTA) {
    return JSON.stringify(event)
  }
  const { delta } = event.payload
  const half = MAX_SHOWN_DELTA / 2
  const left = (delta.length - MAX_SHOWN_DELTA).toLocaleString('en')
  const short = `${delta.slice(0, half)} … ${left} more … ${delta.slice(-half)}`
  return JSON.stringify({ ...event, payload: { delta: short } })
}
