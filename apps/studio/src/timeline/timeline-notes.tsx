import { useStudio } from '../session/index.ts'
import { toCount } from '../text/index.ts'
import type { Run } from './model/index.ts'

interface TimelineNotesProps {
  readonly run: Run
  readonly part: number
  readonly areTimesKnown: boolean
}

/** Shows notes about missing times, merged messages and dropped frames. */
export function TimelineNotes({ run, part, areTimesKnown }: TimelineNotesProps) {
  const { moments, fileName } = useStudio()
  const earliest = moments.earliest()
  const notes = [
    part < 1 && `Reading the frames: ${Math.round(part * 100)} %`,
    run.clock === 'order' && toOrderNote(areTimesKnown, fileName !== undefined),
    run.merged > 0 &&
      `${toCount(run.merged)} frames contain several messages each, which the server merged.`,
    earliest > 0 &&
      `Only the latest frames are kept; moments before frame ${toCount(earliest)} cannot be shown.`,
  ].filter((note) => note !== false)
  if (notes.length === 0) return null
  return (
    <div className="tl-notes" role="status">
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  )
}

function toOrderNote(areTimesKnown: boolean, isFile: boolean): string {
  if (isFile) return 'The file has no times, so messages are shown in order.'
  if (!areTimesKnown) return 'Loading the times of the messages…'
  return 'The server has no times for this history, so messages are shown in order.'
}
