import { useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { findBlock } from '../session/frames/index.ts'
import type { LoggedFrame } from '../session/frames/index.ts'
import { styleOf, toTranslationNote, useAgentStyles, useStudio } from '../session/index.ts'
import { toSize } from '../text/index.ts'
import { bringPane } from '../ui/index.ts'
import { FrameDetail } from './frame-detail.tsx'
import { FrameList } from './frame-list.tsx'
import { createFrameSelectors, createFrameTest, findFrame, noFilter } from './select-frames.ts'
import { WireFilter } from './wire-filter.tsx'
import { WireHead } from './wire-head.tsx'

/** Lists every frame of the stream. */
export function Wire() {
  const { frames: log, readOnly, translatedFrom } = useStudio()
  const snapshot = useSyncExternalStore(log.subscribe, log.getSnapshot)
  const agentStyles = useAgentStyles()
  const [filter, setFilter] = useState(noFilter)
  const [selected, setSelected] = useState<LoggedFrame>()
  const target = useJumpTarget((frame) => {
    setSelected(frame)
    setFilter((before) => (createFrameTest(before)(frame) ? before : noFilter))
  })
  const showInChat = useShowInChat()
  const { frames, total, bytes } = snapshot
  // Typing is immediate; the frames follow when all were tested.
  const settled = useDeferredValue(filter)
  const [toSelector] = useState(createFrameSelectors)
  const select = useMemo(() => toSelector(settled), [toSelector, settled])
  const shown = select(frames)
  return (
    <>
      <WireHead
        {...{ filter, onFilter: setFilter }}
        settledText={settled.text}
        shown={shown.length}
      >
        {total.toLocaleString('en')} frames · {toSize(bytes)}
      </WireHead>
      <WireFilter {...{ snapshot, agentStyles, filter, onFilter: setFilter }} />
      {translatedFrom !== undefined && (
        <p className="wire-note">{toTranslationNote(translatedFrom)}</p>
      )}
      {total > frames.length && (
        <p className="wire-note">
          {readOnly === 'past' && frames.length === 0
            ? 'The frames up to here are no longer kept.'
            : `Only the last ${frames.length.toLocaleString('en')} are kept.`}
        </p>
      )}
      {total === 0 ? (
        <EmptyWire isPast={readOnly === 'past'} />
      ) : (
        <FrameList
          frames={shown}
          agentStyles={agentStyles}
          startTime={snapshot.startTime}
          selected={selected}
          target={target}
          onSelect={setSelected}
        />
      )}
      {selected && (
        <FrameDetail
          frame={selected}
          agentStyle={styleOf(agentStyles, selected.agent)}
          onShow={showInChat(selected)}
          onClose={() => setSelected(undefined)}
        />
      )}
    </>
  )
}

/** Returns the frame of the last jump, another object each time. */
function useJumpTarget(onTarget: (frame: LoggedFrame) => void): LoggedFrame | undefined {
  const { frames: log, jumps } = useStudio()
  const [target, setTarget] = useState<LoggedFrame>()
  const latest = useRef(onTarget)
  useEffect(() => {
    latest.current = onTarget
  })
  useEffect(
    () =>
      jumps.wire.subscribe((index) => {
        const { frames } = log.getSnapshot()
        const frame = frames[findFrame(frames, { index })]
        if (!frame) return
        setTarget({ ...frame })
        latest.current(frame)
      }),
    [jumps, log],
  )
  return target
}

/** Returns a function that opens the block of a frame; undefined if it is unknown. */
function useShowInChat(): (frame: LoggedFrame) => (() => void) | undefined {
  const { moments, jumps } = useStudio()
  const show = async (frame: LoggedFrame): Promise<void> => {
    const place = findBlock(moments, frame)
    if (!place) return
    await bringPane('chat')
    jumps.chat.send(place)
  }
  return (frame) => {
    const isKnown = frame.agent !== '' && frame.index >= moments.earliest()
    return isKnown ? () => void show(frame) : undefined
  }
}

function EmptyWire({ isPast }: { readonly isPast: boolean }) {
  return (
    <div className="wire-empty">
      <p>{isPast ? 'There were no frames yet.' : 'No frames yet.'}</p>
      <p>Each frame of the stream is listed here with its number, its size and its JSON.</p>
    </div>
  )
}
