import { useMemo, useState, useSyncExternalStore } from 'react'
import { faceOf } from '../agents/agent-faces.ts'
import { useAgentFaces } from '../agents/use-agent-faces.ts'
import type { LoggedFrame } from '../session/frame-log.ts'
import { useStudio } from '../session/studio-context.ts'
import { toTranslationNote } from '../session/translation-note.ts'
import { toSize } from './format.ts'
import { FrameDetail } from './frame-detail.tsx'
import { FrameList } from './frame-list.tsx'
import { createFrameSelector, noFilter } from './select-frames.ts'
import { WireFilter } from './wire-filter.tsx'

/** Every frame of the stream, as it came. */
export function Wire() {
  const { frames: log, frozen, translatedFrom } = useStudio()
  const snapshot = useSyncExternalStore(log.subscribe, log.getSnapshot)
  const faces = useAgentFaces()
  const [filter, setFilter] = useState(noFilter)
  const [selected, setSelected] = useState<LoggedFrame>()
  const { frames, total, bytes } = snapshot
  const select = useMemo(() => createFrameSelector(filter), [filter])
  return (
    <>
      <div className="wire-head">
        <h2>The wire</h2>
        <span className="muted" data-testid="wire-totals">
          {total.toLocaleString('en')} frames · {toSize(bytes)}
        </span>
      </div>
      <WireFilter {...{ snapshot, faces, filter, onFilter: setFilter }} />
      {translatedFrom !== undefined && (
        <p className="wire-note">{toTranslationNote(translatedFrom)}</p>
      )}
      {total > frames.length && (
        <p className="wire-note">
          {frozen === 'past' && frames.length === 0
            ? 'The frames up to here are no longer kept.'
            : `Only the last ${frames.length.toLocaleString('en')} are kept.`}
        </p>
      )}
      {total === 0 ? (
        <div className="wire-empty">
          <p>{frozen === 'past' ? 'No frames had come yet.' : 'No frames yet.'}</p>
          <p>
            Each message of the stream will stand here with its number, its size and the JSON that
            was sent.
          </p>
        </div>
      ) : (
        <FrameList
          frames={select(frames)}
          faces={faces}
          startTime={snapshot.startTime}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      {selected && (
        <FrameDetail
          frame={selected}
          face={faceOf(faces, selected.agent)}
          onClose={() => setSelected(undefined)}
        />
      )}
    </>
  )
}
